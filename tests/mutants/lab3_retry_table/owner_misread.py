# loses: quiz_owner
# hint: owner_misread
# Adds the layers up, and lets each of them retry.

# cell: answers
# One letter for each question, such as {"late_refund": "a", ...}
answers = {"late_refund": "", "same_key": "", "posts": "", "owner": "", "last_delay": ""}
answers = {"late_refund": "c", "same_key": "a", "posts": "b", "owner": "d", "last_delay": "d"}
