# loses: gate_order
# hint: shape_before_counts

# cell: budget
class Budget(ToolBudget):
    def admit(self, tool, args, *, depth):
        entry = self.permit["tools"].get(tool, {})
        if tool == "http_get" and isinstance(args, dict):
            if not host_is_allowed(args.get("url"), entry.get("allowed_hosts", [])):
                self.deny(tool, "host_not_allowed")
        reason = count_denial(self, tool, depth)
        if reason:
            self.deny(tool, reason)
        if self.permit["max_parallel"] != 1:
            self.deny(tool, "parallel_not_implemented")
        if not isinstance(args, dict):
            self.deny(tool, "args_invalid")
        try:
            text = json.dumps(args, sort_keys=True, allow_nan=False)
        except (TypeError, ValueError):
            self.deny(tool, "args_invalid")
        if len(text.encode()) > entry.get("max_args_bytes", 4096):
            self.deny(tool, "args_too_large")
        charge(self, tool, depth)
