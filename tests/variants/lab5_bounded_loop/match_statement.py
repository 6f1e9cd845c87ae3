# match where it reads well, and the evidence line written by hand.

# cell: read-result
def read_result(raw, spec):
    try:
        match json.loads(raw[: spec.max_bytes].decode("utf-8", "strict")):
            case dict(result) if all(key in result for key in spec.required):
                return result
            case _:
                raise GateError("schema_invalid", "no object with its keys")
    except ValueError:
        raise GateError("schema_invalid", "no JSON") from None

# cell: next-prompt
def next_prompt(history, outcome):
    match outcome:
        case GateError(code="budget_exceeded"):
            return None
        case GateError():
            return history + [to_prompt(outcome)]
        case _:
            return history + [{"role": "tool", "content": json.dumps(outcome)}]

# cell: dispatch
from time import sleep


def line_of(budget, step, allowlist, tool):
    spec = allowlist.tools.get(tool)
    return {
        "run_id": budget.run_id,
        "step": step,
        "max_steps": budget.max_steps,
        "max_wall_ms": round(budget.max_wall_s * 1000),
        "tool": tool,
        "timeout_ms": None,
        "bytes": 0,
        "allowlist_version": allowlist.version,
        "schema_id": spec.schema_id if spec is not None else None,
        "gate": "ok",
    }


def dispatch(budget, allowlist, tool, args, start_worker):
    line = line_of(budget, budget.steps_used + 1, allowlist, tool)
    try:
        return through_the_gates(budget, allowlist, tool, args, start_worker, line)
    except GateError as error:
        line["gate"] = error.code
        raise
    finally:
        line["wall_ms_used"] = round((budget.clock() - budget.started_at) * 1000)
        budget.evidence.append(line)


def through_the_gates(budget, allowlist, tool, args, start_worker, line):
    check_budget(budget)
    budget.steps_used += 1
    match allowlist.tools.get(tool):
        case None:
            raise GateError("unknown_tool")
        case spec:
            pass
    started = budget.clock()
    left = budget.started_at + budget.max_wall_s - started
    line["timeout_ms"] = round(min(spec.timeout_s, left) * 1000)
    worker = start_worker(tool, args)
    while worker.poll() is None:
        ran = budget.clock() - started
        if ran >= left:
            kill_tree(worker)
            raise GateError("budget_exceeded")
        if ran >= spec.timeout_s:
            kill_tree(worker)
            raise GateError("tool_timeout")
        sleep(0.01)
    line["bytes"] = min(spec.max_bytes, len(worker.read()))
    match worker.poll():
        case 0:
            return read_result(worker.read(), spec)
        case code:
            raise GateError("schema_invalid", f"exit code {code}")
