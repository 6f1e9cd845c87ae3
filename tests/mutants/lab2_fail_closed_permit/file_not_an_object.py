# loses: unreadable
# hint: file_not_an_object

# cell: load-permit
def load_permit(path):
    try:
        permit = parse_json(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as problem:
        raise BudgetDenied(f"the permit cannot be read: {problem}") from problem
    if not isinstance(permit, dict):
        raise TypeError("a permit is an object")
    check_keys(permit, REQUIRED, REQUIRED)
    if not isinstance(permit["tools"], dict):
        raise BudgetDenied("tools is no object")
    for tool in permit["tools"].values():
        check_keys(tool, {"max_calls"}, TOOL_KEYS)
        hosts = tool.get("allowed_hosts", [])
        if not isinstance(hosts, list) or not all(isinstance(host, str) and host == host.lower() for host in hosts):
            raise BudgetDenied("allowed_hosts is no list of lower-case strings")
    return permit


def check_keys(part, needed, known):
    if not isinstance(part, dict):
        raise BudgetDenied("the permit or one of its tools is no object")
    if needed - set(part):
        raise BudgetDenied(f"missing: {sorted(needed - set(part))}")
    for key, value in part.items():
        if key in COUNTS and (type(value) is not int or value < 0):
            raise BudgetDenied(f"{key} is no count")
        if key not in known and not key.startswith("x_"):
            raise BudgetDenied(f"unknown key {key}")
