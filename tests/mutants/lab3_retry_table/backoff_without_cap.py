# loses: delay_cap
# hint: backoff_without_cap
# The ceiling grows for ever.

# cell: next-delay
def next_delay(attempt, policy, rng):
    ceiling = policy.base_ms * 2 ** (attempt - 1)
    return rng.uniform(0, ceiling)
