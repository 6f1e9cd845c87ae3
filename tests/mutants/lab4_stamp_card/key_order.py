# loses: key_order
# hint: key_order
# Takes the keys as they come: the caller always sends them the same way, does it not?

# cell: canonical-digest
def canonical_digest(args):
    text = json.dumps(args, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
