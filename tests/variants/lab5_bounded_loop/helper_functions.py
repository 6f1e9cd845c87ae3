# One function a gate; dispatch only puts them in order.

# cell: check-budget
def used_s(budget):
    return budget.clock() - budget.started_at


def left_s(budget):
    return budget.max_wall_s - used_s(budget)


def check_budget(budget):
    if budget.max_steps - budget.steps_used <= 0 or left_s(budget) <= 0:
        raise GateError("budget_exceeded")

# cell: dispatch
def find_spec(allowlist, tool):
    try:
        return allowlist.tools[tool]
    except KeyError:
        raise GateError("unknown_tool") from None


def wait_for(worker, budget, seconds):
    end = budget.clock() + seconds
    while budget.clock() < end:
        if worker.poll() is not None:
            return True
        time.sleep(min(0.02, max(0, end - budget.clock())))
    return worker.poll() is not None


def run_under(budget, spec, worker, seconds):
    if wait_for(worker, budget, seconds):
        return
    kill_tree(worker)
    if left_s(budget) <= 0:
        raise GateError("budget_exceeded", "the run's time ended")
    raise GateError("tool_timeout", f"{spec.name} took more than {seconds} s")


def dispatch(budget, allowlist, tool, args, start_worker):
    step = budget.steps_used + 1
    told = {}
    try:
        check_budget(budget)
        budget.steps_used = step
        spec = find_spec(allowlist, tool)
        told["timeout_s"] = min(spec.timeout_s, left_s(budget))
        worker = start_worker(tool, args)
        run_under(budget, spec, worker, told["timeout_s"])
        raw = worker.read()[: spec.max_bytes + 1]
        told["size"] = min(len(raw), spec.max_bytes)
        if worker.poll():
            raise GateError("schema_invalid", "crashed")
        result = read_result(raw, spec)
    except GateError as error:
        budget.note(step, allowlist, tool, error.code, **told)
        raise
    budget.note(step, allowlist, tool, "ok", **told)
    return result
