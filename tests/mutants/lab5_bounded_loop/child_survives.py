# loses: family_gone
# hint: child_survives

# cell: kill-tree
def kill_tree(worker):
    try:
        psutil.Process(worker.pid).kill()
    except psutil.NoSuchProcess:
        pass
