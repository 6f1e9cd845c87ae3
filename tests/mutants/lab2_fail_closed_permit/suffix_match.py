# loses: host_exact
# hint: suffix_match

# cell: host-is-allowed
def host_is_allowed(url, allowed):
    parts = split_url(url)
    if parts is None or parts.scheme not in ("http", "https") or "@" in parts.authority:
        return False
    if any(sign == "\\" or sign.isspace() or not sign.isprintable() for sign in url):
        return False
    if not parts.host.isascii() or parts.host.endswith("."):
        return False
    return any(parts.host.lower().endswith(listed) for listed in allowed)
