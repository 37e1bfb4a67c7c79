"""Wrong: start daemons that ignore signals, and print without end."""

import os
import signal
import sys

from by_hand import requests

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for _ in requests():
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            signal.pause()
    while True:
        sys.stdout.write("x" * (1 << 16))
