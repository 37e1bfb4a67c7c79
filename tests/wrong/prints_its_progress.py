"""Wrong: prints its progress to standard output, between the replies."""

from by_hand import reply, requests, say, send

for request in requests():
    say(f"reading {request['path']} …\n")
    send(reply(request))
