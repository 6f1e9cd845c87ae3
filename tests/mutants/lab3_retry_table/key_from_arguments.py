# loses: one_key
# hint: key_from_arguments
# Equal arguments are taken for one wish.

# cell: key-for-try
def key_for_try(call, attempt):
    return "refund-" + json.dumps(call.args, sort_keys=True)[:40]
