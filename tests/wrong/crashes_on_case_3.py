"""Wrong: the third log that one process reads is its last one, whatever is in it."""

import os

from by_hand import reply, requests, send

for number, request in enumerate(requests(), start=1):
    if number == 3:
        os.abort()
    send(reply(request))
