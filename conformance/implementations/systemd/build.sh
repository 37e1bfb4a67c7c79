#!/bin/sh
# Nothing is built. The known failures are those of one release, so another one is not run.
set -eu
found=$(journalctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
[ "$found" = 252 ] || { echo "journalctl is of systemd $found, and the known failures here are of 252"; exit 1; }
