"""Wrong: read logs correctly, but ignore ``bye`` and the end of the input."""

import time

from by_hand import reply, requests, send

for request in requests():
    send(reply(request))
while True:
    time.sleep(3600)
