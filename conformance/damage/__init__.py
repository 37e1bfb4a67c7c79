"""Describe damage as data: operations on a log, with an interpreter and a text form.

An operation is a JSON object: ``op``, a target (``path`` or ``at``), ``file`` in a multi-file log,
and named arguments. :data:`conformance.damage.operations.OPERATIONS` lists all operations.
"""
