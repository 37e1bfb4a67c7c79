"""Wrong: extends the log that it reads to a sparse file of a tebibyte."""

import os

from by_hand import reply, requests, send

for request in requests():
    right = reply(request)
    os.truncate(request["path"], 1 << 40)
    send(right)
