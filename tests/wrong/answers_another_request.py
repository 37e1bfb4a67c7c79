"""Wrong: reply with a sequence number other than that of the request."""

from by_hand import reply, requests, send

for request in requests():
    send(reply(request) | {"seq": request["seq"] + 1})
