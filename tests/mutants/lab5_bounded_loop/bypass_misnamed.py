# loses: bypass
# hint: bypass_misnamed

# cell: bypass-names
bypass = {
    "A": "error_text_as_result",
    "B": "model_extends_allowlist",
    "C": "only_successes_counted",
    "D": "one_budget_for_all_tenants",
    "E": "cap_raised_by_configuration",
}
