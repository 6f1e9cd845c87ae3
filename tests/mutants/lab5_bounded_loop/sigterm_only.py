# loses: family_gone
# hint: sigterm_only

# cell: kill-tree
def kill_tree(worker):
    try:
        parent = psutil.Process(worker.pid)
        family = [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for process in family:
        try:
            process.terminate()
        except psutil.NoSuchProcess:
            pass
