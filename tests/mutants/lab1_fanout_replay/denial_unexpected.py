# loses: test_lets_through, test_row_only
# hint: strict_test

# cell: test_caps
def test_caps():
    budget = Budget(PERMIT)
    for _ in range(3):
        budget.admit("http_get", {"url": "https://example.invalid/a"}, depth=1)
    assert budget.total_calls == 2
