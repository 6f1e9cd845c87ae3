# Talks a lot on the way: prints, logs, a warning, and a subclass of BudgetDenied.

# cell: load-permit
import logging
import sys
import warnings

log = logging.getLogger("permit")
logging.basicConfig(level=logging.DEBUG)


class PermitDenied(BudgetDenied):
    pass


def deny_permit(why):
    print("permit denied:", why, file=sys.stderr)
    log.warning("denied: %s", why)
    raise PermitDenied(why)


def load_permit(path):
    print("loading", path)
    try:
        permit = parse_json(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as problem:
        deny_permit(f"cannot be read: {problem}")
    except ValueError as problem:
        deny_permit(f"cannot be understood: {problem}")
    if not isinstance(permit, dict):
        deny_permit("no object")
    if missing := [key for key in sorted(REQUIRED) if key not in permit]:
        deny_permit(f"missing {missing}")
    look_at(permit, REQUIRED)
    if not isinstance(permit["tools"], dict):
        deny_permit("tools")
    for name, tool in permit["tools"].items():
        log.info("tool %s", name)
        if not isinstance(tool, dict) or "max_calls" not in tool:
            deny_permit(name)
        look_at(tool, TOOL_KEYS)
        listed = tool.get("allowed_hosts", [])
        if not isinstance(listed, list):
            deny_permit("allowed_hosts")
        for host in listed:
            if not isinstance(host, str) or host != host.lower():
                deny_permit("allowed_hosts")
    return permit


def look_at(part, known):
    for key, value in part.items():
        if key.startswith("x_"):
            warnings.warn(f"local extension {key}")
        elif key not in known:
            deny_permit(f"unknown key {key}")
        elif key in COUNTS and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            deny_permit(f"{key} is no count")

# cell: budget
class Budget(ToolBudget):
    def deny(self, tool, reason):
        print("denied", tool, reason)
        return super().deny(tool, reason)

    def admit(self, tool, args, *, depth):
        log.debug("asked about %s at depth %s", tool, depth)
        reason = count_denial(self, tool, depth)
        if reason is None and self.permit["max_parallel"] != 1:
            reason = "parallel_not_implemented"
        if reason is None:
            entry = self.permit["tools"][tool]
            try:
                encoded = json.dumps(args, sort_keys=True, allow_nan=False).encode("utf-8")
            except (TypeError, ValueError) as problem:
                print("cannot be written:", problem)
                encoded = None
            if encoded is None or not isinstance(args, dict):
                reason = "args_invalid"
            elif len(encoded) > entry.get("max_args_bytes", 4096):
                reason = "args_too_large"
            elif tool == "http_get" and not host_is_allowed(args.get("url"), entry.get("allowed_hosts", [])):
                reason = "host_not_allowed"
        if reason is not None:
            self.deny(tool, reason)
        charge(self, tool, depth)
        print("admitted", tool, self.per_tool)
