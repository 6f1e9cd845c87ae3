# loses: test_lets_through, test_row_only
# hint: hollow_test

# cell: test_caps
def test_caps():
    budget = Budget(PERMIT)
    page = {"url": "https://example.invalid/a"}
    budget.admit("http_get", page, depth=1)
    budget.admit("http_get", page, depth=1)
    try:
        budget.admit("http_get", page, depth=1)
        assert False, "the third http_get was let through"
    except Exception:
        pass
