# loses: delay_growth
# hint: no_jitter
# Every client waits exactly the ceiling.

# cell: next-delay
def next_delay(attempt, policy, rng):
    ceiling = min(policy.cap_ms, policy.base_ms * 2 ** (attempt - 1))
    return ceiling
