"""Wrong: read the request and never reply."""

import time

from by_hand import requests

for _ in requests():
    time.sleep(3600)
