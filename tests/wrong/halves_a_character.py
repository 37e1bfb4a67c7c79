"""Wrong: names a file by half of a surrogate pair, which no UTF-8 can hold."""

from by_hand import requests, send

for request in requests():
    answer = {"records": [{"payload": "", "file": "\ud83d"}]}
    send({"seq": request["seq"], "answer": answer})
