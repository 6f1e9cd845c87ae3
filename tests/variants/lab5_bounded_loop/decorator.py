# The evidence and the budget gate are a decorator; the kill asks first and ends those that stay.

# cell: dispatch
import functools


def with_evidence(run):
    @functools.wraps(run)
    def dispatch(budget, allowlist, tool, args, start_worker):
        step, notes = budget.steps_used + 1, {}

        def write(gate):
            budget.note(step, allowlist, tool, gate, **notes)

        try:
            check_budget(budget)
            budget.steps_used += 1
            result = run(budget, allowlist, tool, args, start_worker, notes)
        except GateError as error:
            write(error.code)
            raise
        write("ok")
        return result

    return dispatch


@with_evidence
def dispatch(budget, allowlist, tool, args, start_worker, notes):
    if tool not in allowlist.tools:
        raise GateError("unknown_tool", tool)
    spec = allowlist.tools[tool]
    left = budget.max_wall_s - (budget.clock() - budget.started_at)
    limit, code = min((left, "budget_exceeded"), (spec.timeout_s, "tool_timeout"))
    notes["timeout_s"] = limit
    worker, end = start_worker(tool, args), budget.clock() + limit
    while worker.poll() is None:
        if budget.clock() >= end:
            kill_tree(worker)
            raise GateError(code)
        time.sleep(0.01)
    raw = worker.read()
    notes["size"] = min(len(raw), spec.max_bytes)
    if worker.poll() != 0:
        raise GateError("schema_invalid", "crash")
    return read_result(raw, spec)

# cell: kill-tree
def kill_tree(worker):
    try:
        first = psutil.Process(worker.pid)
    except psutil.NoSuchProcess:
        return
    family = first.children(recursive=True) + [first]
    for how in ("terminate", "kill"):
        for process in family:
            try:
                getattr(process, how)()
            except psutil.NoSuchProcess:
                continue
        _, family = psutil.wait_procs(family, timeout=0.3)
