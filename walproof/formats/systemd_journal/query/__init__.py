"""Query systemd journals: select entries of one or several files as journalctl does."""
