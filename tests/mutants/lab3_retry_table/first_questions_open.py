# loses: quiz_outcome
# hint: not_answered

# cell: answers
# One letter for each question, such as {"late_refund": "a", ...}
answers = {"late_refund": "", "same_key": "", "posts": "", "owner": "", "last_delay": ""}
answers = {"late_refund": "c", "same_key": "", "posts": "d", "owner": "b", "last_delay": "d"}
