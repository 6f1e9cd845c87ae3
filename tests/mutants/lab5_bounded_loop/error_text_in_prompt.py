# loses: prompt
# hint: error_text_in_prompt

# cell: next-prompt
def next_prompt(history, outcome):
    if not isinstance(outcome, GateError):
        return [*history, {"role": "tool", "content": json.dumps(outcome)}]
    if outcome.code == "budget_exceeded":
        return None
    return [*history, {"role": "tool", "content": str(outcome)}]
