"""Wrong: finds a hundred thousand records in a log of a few bytes."""

from by_hand import requests, send

for request in requests():
    records = [{"payload": "61", "at": at, "size": 1} for at in range(100_000)]
    send({"seq": request["seq"], "answer": {"records": records}})
