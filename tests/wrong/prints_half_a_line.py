"""Wrong: prints half of its reply and exits, as if all were well."""

import json
import sys

from by_hand import reply, requests, say

for request in requests():
    say(json.dumps(reply(request))[:20])
    sys.exit(0)
