# loses: delay_growth
# hint: delay_does_not_double
# Grows by the same step each time.

# cell: next-delay
def next_delay(attempt, policy, rng):
    ceiling = min(policy.cap_ms, policy.base_ms * attempt)
    return rng.uniform(0, ceiling)
