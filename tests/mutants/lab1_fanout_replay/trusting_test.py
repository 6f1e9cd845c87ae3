# loses: test_row_only
# hint: trusting_test

# cell: test_caps
def test_caps():
    budget = Budget(PERMIT)
    for _ in range(3):
        try:
            budget.admit("http_get", {}, depth=1)
        except BudgetDenied:
            pass
    assert budget.decisions[-1] == {"tool": "http_get", "ok": False, "reason": "per_tool_cap"}
