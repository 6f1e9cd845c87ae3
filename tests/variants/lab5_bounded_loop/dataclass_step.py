# A dataclass holds what is known of a step, and writes the line when its with-block ends.

# cell: dispatch
from dataclasses import dataclass


@dataclass
class Step:
    budget: RunBudget
    allowlist: object
    tool: str
    number: int
    timeout_s: float | None = None
    size: int = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        gate = "ok" if error is None else getattr(error, "code", "error")
        self.budget.note(
            self.number, self.allowlist, self.tool, gate, timeout_s=self.timeout_s, size=self.size
        )
        return False


def dispatch(budget, allowlist, tool, args, start_worker):
    with Step(budget, allowlist, tool, budget.steps_used + 1) as step:
        check_budget(budget)
        budget.steps_used += 1
        spec = allowlist.tools.get(tool)
        if spec is None:
            raise GateError("unknown_tool")
        run_ends = budget.started_at + budget.max_wall_s
        now = budget.clock()
        tool_ends = now + spec.timeout_s
        step.timeout_s = min(tool_ends, run_ends) - now
        worker = start_worker(tool, args)
        while (code := worker.poll()) is None:
            if budget.clock() >= min(tool_ends, run_ends):
                kill_tree(worker)
                raise GateError("tool_timeout" if tool_ends < run_ends else "budget_exceeded")
            time.sleep(0.05)
        raw = worker.read()
        step.size = len(raw[: spec.max_bytes])
        if code != 0:
            raise GateError("schema_invalid")
        return read_result(raw, spec)
