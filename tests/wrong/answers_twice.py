"""Wrong: sends each reply twice, so that every request but the first is answered by an old one."""

from by_hand import reply, requests, send

for request in requests():
    answered = reply(request)
    send(answered)
    send(answered)
