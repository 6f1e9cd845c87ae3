# Waits for an event that never comes in place of time.sleep; both classes of error in one tuple.

# cell: dispatch
import threading


def dispatch(budget, allowlist, tool, args, start_worker):
    step = budget.steps_used + 1
    given = {"timeout_s": None, "size": 0}

    def refuse(code):
        budget.note(step, allowlist, tool, code, **given)
        raise GateError(code)

    try:
        check_budget(budget)
    except GateError as error:
        refuse(error.code)
    budget.steps_used += 1
    if tool not in allowlist.tools:
        refuse("unknown_tool")
    spec = allowlist.tools[tool]
    remaining = budget.max_wall_s + budget.started_at - budget.clock()
    given["timeout_s"] = min(remaining, spec.timeout_s)
    worker = start_worker(tool, args)
    until = budget.clock() + given["timeout_s"]
    never = threading.Event()
    while worker.poll() is None and budget.clock() < until:
        never.wait(0.001)
    exit_code = worker.poll()
    if exit_code is None:
        kill_tree(worker)
        refuse("budget_exceeded" if remaining <= spec.timeout_s else "tool_timeout")
    printed = worker.read()
    given["size"] = min(len(printed), spec.max_bytes)
    if exit_code:
        refuse("schema_invalid")
    try:
        result = read_result(printed, spec)
    except GateError as error:
        refuse(error.code)
    budget.note(step, allowlist, tool, "ok", **given)
    return result
