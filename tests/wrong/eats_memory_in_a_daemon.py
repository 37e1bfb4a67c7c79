"""Wrong: right about every log, but a daemon of its own, out of its process group, eats memory."""

import os
import time

from by_hand import reply, requests, send

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        held = b"x" * (300 << 20)
        time.sleep(3600)
    os._exit(0)
os.wait()
for request in requests():
    time.sleep(1)  # the memory is looked at a few times a second
    send(reply(request))
