# loses: audit_first, audit_second
# hint: ticked_on_trust

# cell: audit-answers
audit = dict.fromkeys(
    (
        "named_run",
        "max_steps",
        "max_wall",
        "allowlist",
        "tool_timeout",
        "failed_steps_count",
        "schema_on_the_way_back",
        "distinct_errors",
        "no_silent_continue",
        "resume_is_a_new_run",
    ),
    True,
)
