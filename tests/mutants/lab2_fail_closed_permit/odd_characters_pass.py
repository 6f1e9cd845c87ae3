# loses: host_forms
# hint: odd_characters_pass

# cell: host-is-allowed
def host_is_allowed(url, allowed):
    parts = split_url(url)
    if parts is None or parts.scheme not in ("http", "https") or "@" in parts.authority:
        return False
    if not parts.host.isascii() or parts.host.endswith("."):
        return False
    return parts.host.lower() in allowed
