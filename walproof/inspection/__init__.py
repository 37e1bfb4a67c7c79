"""The byte map of a log: every field with its bytes, its value, its rule and its fate.

The fields come from the grammar, the fate (record, lost, torn) from the reference reader.
"""
