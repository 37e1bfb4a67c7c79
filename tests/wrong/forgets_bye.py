"""Wrong: right about every log, but neither bye nor the end of the input ends it."""

import time

from by_hand import reply, requests, send

for request in requests():
    send(reply(request))
while True:
    time.sleep(3600)
