"""Wrong: never reply, and start a daemon that keeps the output open."""

import subprocess
import sys
import time

from by_hand import requests

SLEEP = "import time; time.sleep(3600)"
DAEMON = f"""
import subprocess, sys
subprocess.Popen([sys.executable, "-c", {SLEEP!r}], start_new_session=True)
"""

subprocess.run([sys.executable, "-c", DAEMON], check=True)
for _ in requests():
    time.sleep(3600)
