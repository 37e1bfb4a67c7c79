"""Wrong: makes a sparse file of a tebibyte of the log it was asked to read."""

import os

from by_hand import reply, requests, send

for request in requests():
    right = reply(request)
    os.truncate(request["path"], 1 << 40)
    send(right)
