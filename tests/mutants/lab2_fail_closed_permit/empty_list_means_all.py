# loses: host_gate
# hint: empty_list_means_all

# cell: host-is-allowed
def host_is_allowed(url, allowed):
    parts = split_url(url)
    if parts is None or parts.scheme not in ("http", "https") or "@" in parts.authority:
        return False
    if any(sign == "\\" or sign.isspace() or not sign.isprintable() for sign in url):
        return False
    if not parts.host.isascii() or parts.host.endswith("."):
        return False
    return not allowed or parts.host.lower() in allowed
