"""``walproof damage``: damage any log with the operations of the vectors (spec/conventions.md).

``operation_text`` parses an operation and applies it. ``log`` provides the fields of the log.
``family`` generates many damaged copies from a seed, and ``manifest`` describes the damage of each.
"""
