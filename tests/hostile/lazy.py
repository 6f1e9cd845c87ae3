"""The hostile class, 4: lazy students. Each solves nothing: every function of a lab gives one thing for everything."""

from __future__ import annotations

from itertools import zip_longest

from grader.made_up import MadeUp, solution_cells
from tests.submissions import released_notebook


def _budget(body: str) -> str:
    return f"class Budget(ToolBudget):\n    def admit(self, tool, args, *, depth):\n        {body}\n"


def _function(head: str, *bodies: str) -> list[str]:
    return [f"def {head}:\n    {body}\n" for body in bodies]


_ADMIT = 'self.decisions.append({"tool": tool, "ok": True, "reason": "admit"})'
_DENIALS = ("unknown_tool", "per_tool_cap", "total_cap", "depth_cap")
_SHAPES = ("args_too_large", "args_invalid", "host_denied")
_ACTIONS = ("stop", "retry", "retry_once", "retry_same_key", "backoff", "backoff_same_key", "poll", "hand_off")
_REASONS = ("None", "'budget_exceeded'", "'max_retries'", "'max_tools'", "'max_writes'")
_CODES = ("unknown_tool", "schema_invalid", "tool_timeout", "budget_exceeded")
_ITEMS = (
    *("named_run", "max_steps", "max_wall", "allowlist", "tool_timeout"),
    *("failed_steps_count", "schema_on_the_way_back", "distinct_errors", "no_silent_continue", "resume_is_a_new_run"),
)
_TOO_LARGE = '{"ok": False, "error": "too_large", "size": 41, "rows": None, "truncated": "", "hint": BYTES_HINT}'


def _decisions_of_lab4() -> list[str]:
    refused = [(400, "schema"), (400, "unknown_tool_or_args"), (409, "key_reuse_with_different_args")]
    told = '{"decision": "REJECT", "reason": "%s", "side_effect_counter": store.effects}'
    said = [("APPLY", '"lab-1"'), ("REPLAY_OK", '"lab-1"'), ("APPLY", 'store.apply("k", "s", 1)')]
    body = '{"decision": "%s", "order_id": %s, "side_effect_counter": store.effects, "arg_digest": "x"}'
    accepted = [f"return 200, {body % one}" for one in said]
    return [f"return {status}, {told % reason}" for status, reason in refused] + accepted


# By lab and cell to fill in: what the first, the second, the third lazy student writes there, and so on.
_CELLS: dict[str, dict[str, list[str]]] = {
    "lab1_fanout_replay": {
        "test_caps": _function("test_caps()", "pass", "assert False", "Budget(PERMIT)"),
        "budget": [_budget(_ADMIT), _budget("pass"), *(_budget(f'self.deny(tool, "{why}")') for why in _DENIALS)],
        "replay": _function("replay(trace, budget, *, by_step=False)", "return []", "return budget.decisions"),
        "diff": _function("diff(a, b)", "return []", "return [0]", "return list(range(len(a)))"),
    },
    "lab2_fail_closed_permit": {
        "load-permit": _function(
            "load_permit(path)",
            'raise BudgetDenied("no")',
            "return json.loads(Path(path).read_text())",
            "return {}",
            'raise BudgetDenied("max_total_calls max_depth max_parallel tools")',
        ),
        "host-is-allowed": _function(
            "host_is_allowed(url, allowed)", "return False", "return True", "return bool(allowed)"
        ),
        "budget": [
            _budget("charge(self, tool, depth)"),
            _budget("pass"),
            *(_budget(f'self.deny(tool, "{why}")') for why in (*_DENIALS, *_SHAPES)),
        ],
        "plan-once": _function(
            "plan_once(messages, budget, client, *, depth=1)",
            "return []",
            'raise BudgetDenied("no")',
            'client.post("/chat/completions", json={"model": MODEL, "messages": messages, "tools": TOOLS}); return []',
        ),
    },
    "lab3_retry_table": {
        "observe": _function(
            "observe(duration_ms, data, limits)",
            'return {"ok": True, "data": data}',
            'return {"ok": False, "error": "timeout"}',
            f"return {_TOO_LARGE}",
        ),
        "decide": _function(
            "decide(error, effect, has_key, *, nothing_applied=False)", *(f"return '{one}'" for one in _ACTIONS)
        ),
        "next-delay": _function(
            "next_delay(attempt, policy, rng)",
            "return 0",
            "return policy.base_ms",
            "return rng.uniform(0, policy.base_ms)",
        ),
        "must-stop": _function("must_stop(state, policy)", *(f"return {reason}" for reason in _REASONS)),
        "key-for-try": _function(
            "key_for_try(call, attempt)", "return 'always-the-same'", "return f'try-no-{attempt}'"
        ),
        "answers": [
            f"answers = dict.fromkeys(('late_refund', 'same_key', 'posts', 'owner', 'last_delay'), '{letter}')"
            for letter in "abcd"
        ],
    },
    "lab4_stamp_card": {
        "canonical-digest": _function("canonical_digest(args)", "return 'x'", "return repr(args)", "return '0' * 64"),
        "fits-schema": _function("fits_schema(args)", "return False", "return True"),
        "decide": _function("decide(payload, store)", *_decisions_of_lab4()),
        "host-write": _function(
            "host_write(tool_json, client)",
            "raise ValueError('no')",
            "return {}",
            "return client.post('/tool', json=tool_json).json()",
        ),
    },
    "lab5_bounded_loop": {
        "read-result": _function(
            "read_result(raw, spec)", "return {}", "raise GateError('schema_invalid')", "return json.loads(raw)"
        ),
        "next-prompt": _function(
            "next_prompt(history, outcome)", "return None", "return history", "return [to_prompt(outcome)]"
        ),
        "check-budget": _function("check_budget(budget)", "pass", "raise GateError('budget_exceeded')"),
        "dispatch": _function(
            "dispatch(budget, allowlist, tool, args, start_worker)",
            "return {}",
            *(f"raise GateError('{code}')" for code in _CODES),
            "budget.steps_used += 1",
        ),
        "resume": _function("resume(dead, run_id)", "return dead"),
        "audit-answers": [f"audit = dict.fromkeys({_ITEMS!r}, {answer})" for answer in (True, False)],
        "bypass-names": [f"bypass = dict.fromkeys('ABCDE', {name!r})" for name in ("only_successes_counted", "")],
    },
}


def lazy_students(lab_id: str) -> list[MadeUp]:
    """One student for each round of ``_CELLS``; a cell without another lazy answer stays as it is released."""
    untouched = {
        name: source.replace("\nraise NotImplementedError", "\n")  # at the top level it would end the whole notebook
        for name, source in solution_cells(released_notebook(lab_id)).items()
    }
    cells = _CELLS[lab_id]
    rounds = zip_longest(*cells.values())
    return [
        MadeUp(
            f"lazy-{number}",
            untouched | {name: source for name, source in zip(cells, written, strict=True) if source is not None},
            (),
            None,
        )
        for number, written in enumerate(rounds, start=1)
    ]
