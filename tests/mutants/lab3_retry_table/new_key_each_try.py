# loses: one_key
# hint: new_key_each_try
# The number of the try is part of the key.

# cell: key-for-try
def key_for_try(call, attempt):
    return f"{call.intent}-{attempt}"
