# Objects that can be called instead of functions.

# cell: decide
class Decide:
    READ = {"timeout": "retry", "rate_limited": "backoff", "internal_error": "retry_once"}
    KEYED = {"timeout": "retry_same_key", "rate_limited": "backoff_same_key", "internal_error": "retry_same_key"}
    BARE = {"timeout": "hand_off", "rate_limited": "poll", "internal_error": "poll"}

    def __call__(self, error, effect, has_key, *, nothing_applied=False):
        if effect == "read":
            return self.READ.get(error, "stop")
        if has_key:
            return self.KEYED.get(error, "stop")
        if (error, nothing_applied) == ("rate_limited", True):
            return "backoff"
        return self.BARE.get(error, "stop")


decide = Decide()

# cell: next-delay
class FullJitter:
    def ceiling(self, attempt, policy):
        return policy.base_ms if attempt == 1 else 2 * self.ceiling(attempt - 1, policy)

    def __call__(self, attempt, policy, rng):
        return rng.uniform(0, min(self.ceiling(attempt, policy), policy.cap_ms))


next_delay = FullJitter()

# cell: key-for-try
key_for_try = lambda call, attempt: call.intent.ljust(8, "-")
