"""Wrong: send each reply twice, so that each later request gets an earlier reply."""

from by_hand import reply, requests, send

for request in requests():
    answered = reply(request)
    send(answered)
    send(answered)
