# loses: audit_first
# hint: not_answered

# cell: audit-answers
audit = {
    "named_run": True,
    "max_steps": False,
    "max_wall": True,
    "allowlist": None,
    "tool_timeout": False,
    "failed_steps_count": False,
    "schema_on_the_way_back": True,
    "distinct_errors": True,
    "no_silent_continue": False,
    "resume_is_a_new_run": False,
}
