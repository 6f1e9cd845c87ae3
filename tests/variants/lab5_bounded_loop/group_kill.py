# Ends the process group, builds messages step by step, and returns early.

# cell: read-result
def read_result(raw, spec):
    kept = raw[: spec.max_bytes]
    try:
        text = kept.decode()
    except UnicodeDecodeError:
        raise GateError("schema_invalid")
    try:
        result = json.loads(text)
    except json.JSONDecodeError:
        raise GateError("schema_invalid")
    if type(result) is dict and set(spec.required) <= set(result):
        return result
    raise GateError("schema_invalid")

# cell: next-prompt
def next_prompt(history, outcome):
    if isinstance(outcome, dict):
        message = {"role": "tool", "content": json.dumps(outcome, sort_keys=True, indent=1)}
    elif outcome.code != "budget_exceeded":
        message = to_prompt(outcome)
    else:
        return None
    history.append(message)
    return history

# cell: kill-tree
import os
import signal


def kill_tree(worker):
    try:
        os.killpg(worker.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    while worker.poll() is None:
        time.sleep(0.005)

# cell: resume
def resume(dead, run_id):
    return RunBudget(
        run_id=run_id,
        parent=dead.run_id,
        max_steps=dead.max_steps,
        max_wall_s=dead.max_wall_s,
        clock=dead.clock,
    )
