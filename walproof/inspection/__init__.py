"""The byte map of a log: every field with its bytes, value, requirements and fate.

Fields come from the grammar. The fate (record, lost, torn) comes from the executable specification.
"""
