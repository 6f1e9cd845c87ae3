# loses: quiz_outcome, quiz_owner
# hint: not_answered
# Leaves a question of each group open.

# cell: answers
# One letter for each question, such as {"late_refund": "a", ...}
answers = {"late_refund": "", "same_key": "", "posts": "", "owner": "", "last_delay": ""}
answers = {"late_refund": "", "same_key": "a", "posts": "d", "owner": "perhaps", "last_delay": "d"}
