# loses: resume
# hint: caps_mutated_on_resume

# cell: resume
def resume(dead, run_id):
    dead.max_steps += dead.max_steps
    dead.max_wall_s += dead.max_wall_s
    return dead
