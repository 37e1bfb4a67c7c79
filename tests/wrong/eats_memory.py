"""Wrong: allocates without end before it reads a byte."""

import time

from by_hand import requests

for _ in requests():
    eaten = []
    while True:
        eaten.append(b"\1" * (8 << 20))
        time.sleep(0.002)
