"""The byte map of a log: every field with its bytes, its value, its rule and its fate.

The fields come from the grammar. The fate (record, lost, torn) comes from the reference reader.
"""
