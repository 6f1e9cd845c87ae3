# loses: test_lets_through, test_row_only
# hint: hollow_test

# cell: test_caps
def test_caps():
    budget = Budget(PERMIT)
    for _ in range(3):
        try:
            budget.admit("http_get", {}, depth=1)
        except BudgetDenied:
            pass
