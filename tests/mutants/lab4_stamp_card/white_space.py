# loses: hashed_bytes
# hint: white_space
# json.dumps sorts the keys; its blanks after comma and colon are hashed too.

# cell: canonical-digest
def canonical_digest(args):
    text = json.dumps(args, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
