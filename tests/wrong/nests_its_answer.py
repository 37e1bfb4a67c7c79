"""Wrong: its answer is nested deeper than programs that walk over it can follow."""

from by_hand import requests, say

for request in requests():
    deep = "[" * 900 + "]" * 900
    say(f'{{"seq": {request["seq"]}, "answer": {{"records": [{{"payload": "", "x": {deep}}}]}}}}\n')
