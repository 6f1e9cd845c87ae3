# loses: host_forms, host_gate
# hint: bad_url_crashes

# cell: host-is-allowed
def host_is_allowed(url, allowed):
    parts = split_url(url)
    if parts.scheme not in ("http", "https") or "@" in parts.authority:
        return False
    if any(sign == "\\" or sign.isspace() or not sign.isprintable() for sign in url):
        return False
    if not parts.host.isascii() or parts.host.endswith("."):
        return False
    return parts.host.lower() in allowed
