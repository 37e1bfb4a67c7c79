"""Wrong: numbers its replies by itself."""

from by_hand import reply, requests, send

for request in requests():
    send(reply(request) | {"seq": request["seq"] + 1})
