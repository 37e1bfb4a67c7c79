#!/bin/sh
# The program of the machine is run, if a mount namespace can be made. Nothing is built.
set -eu
[ -x /lib/systemd/systemd-journald ] || { echo "there is no /lib/systemd/systemd-journald"; exit 1; }
journalctl --version | grep -q '^systemd 252 ' || { echo "what is kept is of systemd 252"; exit 1; }
unshare --mount --net true || { echo "no namespaces can be made here: only root may"; exit 1; }
