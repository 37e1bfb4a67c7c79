"""``walproof explain``: requirements, reason codes, fields and context keys, with evidence."""
