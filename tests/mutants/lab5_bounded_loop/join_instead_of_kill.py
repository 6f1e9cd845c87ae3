# loses: process_gone, family_gone
# hint: join_instead_of_kill

# cell: kill-tree
def kill_tree(worker):
    while worker.poll() is None:
        time.sleep(0.01)
