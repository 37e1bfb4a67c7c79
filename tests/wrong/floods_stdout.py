"""Wrong: its one reply never ends."""

from by_hand import requests, say

for _ in requests():
    while True:
        say("x" * 65536)
