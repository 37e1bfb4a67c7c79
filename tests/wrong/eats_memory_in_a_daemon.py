"""Wrong: read logs correctly, but use much memory in a daemon outside the process group."""

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
