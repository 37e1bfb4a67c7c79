"""Mutants of the executable specification, to measure whether the vectors detect wrong readers.

A mutant is the specification with one small change. A vector kills the mutant if the mutant's
answer differs from the expected one. A surviving mutant is a wrong reader or writer that passes all
vectors, or it is equivalent to the original. ``reviewed/`` lists equivalent mutants, each with a
reason.
"""
