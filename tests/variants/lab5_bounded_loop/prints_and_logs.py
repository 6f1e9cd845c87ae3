# Prints and logs on the way, to both streams.

# cell: check-budget
import logging
import sys

log = logging.getLogger("gates")
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)


def check_budget(budget):
    passed = budget.clock() - budget.started_at
    print("steps", budget.steps_used, "of", budget.max_steps, "seconds", round(passed, 3))
    if not (budget.steps_used < budget.max_steps and passed < budget.max_wall_s):
        log.warning("%s is over", budget.run_id)
        raise GateError("budget_exceeded")

# cell: kill-tree
def kill_tree(worker):
    print("killing the family of", worker.pid)
    if worker.poll() is not None:
        return print("it ended by itself")
    family = [psutil.Process(worker.pid)]
    family.extend(family[0].children(recursive=True))
    while family:
        process = family.pop()
        try:
            process.kill()
            log.info("killed %s", process.pid)
        except psutil.Error:
            log.exception("gone")

# cell: bypass-names
bypass = {
    "E": "cap_raised_by_configuration",
    "D": "one_budget_for_all_tenants",
    "C": "error_text_as_result",
    "B": "model_extends_allowlist",
    "A": "only_successes_counted",
}
print(sorted(bypass))
