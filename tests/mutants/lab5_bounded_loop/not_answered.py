# loses: audit_first, audit_second, bypass
# hint: not_answered
# Leaves an item of each half open, and misspells the name of a snippet.

# cell: audit-answers
audit = {
    "named_run": True,
    "max_steps": False,
    "max_wall": None,
    "allowlist": True,
    "tool_timeout": False,
    "failed_steps_count": False,
    "schema_on_the_way_back": True,
    "distinct_errors": None,
    "no_silent_continue": False,
    "resume_is_a_new_run": False,
}

# cell: bypass-names
bypass = {
    "A": "only_successes_counted",
    "B": "model_extends_allowlist",
    "C": "error_text_as_result",
    "D": "one_budget_for_all",
    "E": "cap_raised_by_configuration",
}
