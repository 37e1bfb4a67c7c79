"""Wrong: answers with text, as a program does that was written for people."""

from by_hand import requests, say

for _ in requests():
    say("3 records, all fine!\n")
