"""The byte map of a log: every field with its bytes, value, requirements and state.

The fields come from the grammar. The state (record, lost, torn) comes from the executable
specification.
"""
