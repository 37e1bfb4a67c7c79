"""``walproof damage``: damage any log with the operations of the vectors (spec/conventions.md).

``operation_text`` parses an operation and applies it. ``family`` generates many damaged copies from
a seed.
"""
