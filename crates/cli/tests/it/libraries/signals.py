"""signal: alarms, timers, handlers, and a child that is told to stop."""

import os
import signal
import time

heard = []
signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(signal.Signals(number).name))
os.kill(os.getpid(), signal.SIGUSR1)


class Late(Exception):
    pass


def late(number, frame):
    raise Late


signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    while True:
        time.sleep(1)
except Late:
    heard.append("late")
signal.alarm(30)
assert signal.alarm(0) in (29, 30)
child = os.fork()
if child == 0:
    signal.pause()
    os._exit(0)
os.kill(child, signal.SIGTERM)
_, status = os.waitpid(child, 0)
assert os.WIFSIGNALED(status)
heard.append(signal.strsignal(os.WTERMSIG(status)))
print(*heard)
