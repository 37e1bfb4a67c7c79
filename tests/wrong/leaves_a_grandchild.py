"""Wrong: read logs correctly, but leave a process that keeps the output open."""

import subprocess
import sys

from by_hand import reply, requests, send

subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
for request in requests():
    send(reply(request))
