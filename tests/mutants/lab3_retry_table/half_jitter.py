# loses: delay_growth
# hint: no_jitter
# Draws from the upper half only.

# cell: next-delay
def next_delay(attempt, policy, rng):
    ceiling = min(policy.cap_ms, policy.base_ms * 2 ** (attempt - 1))
    return rng.uniform(ceiling / 2, ceiling)
