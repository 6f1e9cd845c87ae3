# loses: host_gate
# hint: bad_url_crashes

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        reason = count_denial(self, tool, depth) or self.shape_denial(tool, args)
        if reason:
            self.deny(tool, reason)
        charge(self, tool, depth)

    def shape_denial(self, tool, args):
        entry = self.permit["tools"][tool]
        if self.permit["max_parallel"] != 1:
            return "parallel_not_implemented"
        try:
            size = len(json.dumps(args, sort_keys=True, allow_nan=False).encode("utf-8"))
        except (TypeError, ValueError):
            return "args_invalid"
        if not isinstance(args, dict):
            return "args_invalid"
        if size > entry.get("max_args_bytes", 4096):
            return "args_too_large"
        if tool == "http_get" and not host_is_allowed(args["url"], entry.get("allowed_hosts", [])):
            return "host_not_allowed"
        return None
