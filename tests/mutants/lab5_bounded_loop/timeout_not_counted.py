# loses: failed_steps
# hint: timeout_not_counted

# cell: dispatch
def dispatch(budget, allowlist, tool, args, start_worker):
    step, gate, timeout_s, size = budget.steps_used + 1, "ok", None, 0
    try:
        check_budget(budget)
        if tool not in allowlist.tools:
            budget.steps_used += 1
            raise GateError("unknown_tool", f"{tool} is not in {allowlist.version}")
        spec = allowlist.tools[tool]
        left_s = budget.max_wall_s - (budget.clock() - budget.started_at)
        timeout_s = min(spec.timeout_s, left_s)
        deadline = budget.clock() + timeout_s
        worker = start_worker(tool, args)
        while worker.poll() is None and budget.clock() < deadline:
            time.sleep(0.01)
        if worker.poll() is None:
            kill_tree(worker)
            raise GateError("tool_timeout" if spec.timeout_s < left_s else "budget_exceeded")
        size = min(len(worker.read()), spec.max_bytes)
        if worker.poll() != 0:
            budget.steps_used += 1
            raise GateError("schema_invalid", f"{tool} ended with exit code {worker.poll()}")
        budget.steps_used += 1
        return read_result(worker.read(), spec)
    except Exception as error:
        gate = getattr(error, "code", type(error).__name__)
        raise
    finally:
        budget.note(step, allowlist, tool, gate, timeout_s=timeout_s, size=size)
