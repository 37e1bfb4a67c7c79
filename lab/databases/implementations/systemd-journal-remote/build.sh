#!/bin/sh
# Builds nothing, and checks that the writer is installed.
set -eu
test -x /lib/systemd/systemd-journal-remote || { echo "systemd-journal-remote not found" >&2; exit 1; }
