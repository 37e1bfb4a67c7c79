"""Wrong: prints numbers that JSON does not have."""

from by_hand import requests, say

for request in requests():
    say(f'{{"seq": {request["seq"]}, "answer": {{"records": [], "end": Infinity}}}}\n')
