# loses: quiz_outcome
# hint: outcome_misread
# Takes a timeout for a refund that failed.

# cell: answers
# One letter for each question, such as {"late_refund": "a", ...}
answers = {"late_refund": "", "same_key": "", "posts": "", "owner": "", "last_delay": ""}
answers = {"late_refund": "a", "same_key": "a", "posts": "d", "owner": "b", "last_delay": "d"}
