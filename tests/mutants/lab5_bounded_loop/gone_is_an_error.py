# loses: process_gone
# hint: gone_is_an_error

# cell: kill-tree
import os
import signal


def kill_tree(worker):
    os.killpg(worker.pid, signal.SIGKILL)
