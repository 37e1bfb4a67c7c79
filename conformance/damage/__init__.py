"""Describe damage as operations on a log, which can be applied, and written as text.

An operation is a JSON object: ``op``, a target (``path`` or ``at``), ``file`` in a multi-file log,
and named arguments. :data:`conformance.damage.operations.OPERATIONS` lists all operations.
"""
