# loses: hashed_bytes
# hint: not_escaped
# Keeps letters as they are, because they look better.

# cell: canonical-digest
def canonical_digest(args):
    text = json.dumps(args, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
