# loses: step_cap
# hint: off_by_one_steps

# cell: check-budget
def check_budget(budget):
    if budget.steps_used > budget.max_steps:
        raise GateError("budget_exceeded", f"{budget.run_id}: all {budget.max_steps} steps are used")
    if budget.clock() - budget.started_at >= budget.max_wall_s:
        raise GateError("budget_exceeded", f"{budget.run_id}: {budget.max_wall_s} s are over")
