"""Wrong: takes the request and never answers."""

import time

from by_hand import requests

for _ in requests():
    time.sleep(3600)
