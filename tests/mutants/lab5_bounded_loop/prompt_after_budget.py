# loses: prompt
# hint: prompt_after_budget

# cell: next-prompt
def next_prompt(history, outcome):
    if not isinstance(outcome, GateError):
        return [*history, {"role": "tool", "content": json.dumps(outcome)}]
    return [*history, to_prompt(outcome)]
