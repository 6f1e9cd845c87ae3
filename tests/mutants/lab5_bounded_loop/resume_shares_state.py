# loses: resume
# hint: resume_shares_state

# cell: resume
import dataclasses


def resume(dead, run_id):
    return dataclasses.replace(dead, run_id=run_id, parent=dead.run_id)
