"""Logs of single formats that writers are asked for beside those of the vectors."""
