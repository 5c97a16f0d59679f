"""A process that ends when the one that started it has ended, however that ended."""

import ctypes
import os
import signal
import sys
import threading
import time

# <linux/prctl.h>
PR_SET_PDEATHSIG = 1
LOOK_SECONDS = 0.5  # between two looks, where the system gives no notice


def end_with(parent: int) -> None:
    """Lets this process be killed when its parent ends.

    On Linux the kernel does it; elsewhere a thread looks. Without it, a training would
    go on after its worker was killed, and would keep the lock of its directory.

    Args:
        parent: The process that started this one.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        threading.Thread(target=_look, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it has ended before
        os._exit(1)


def _look(parent):
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)
