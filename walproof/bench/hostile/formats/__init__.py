"""The worst known logs, a file for each format: ``LOGS``, and how their names end."""
