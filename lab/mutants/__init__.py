"""Mutants of the executable specification, to measure whether the vectors detect wrong readers.

A mutant is the specification with one small change. A vector kills it if the mutant's answer
differs from the expected one. A surviving mutant is a wrong reader or writer that would be
certified, or it is equivalent: no log shows the change. Equivalent mutants are listed in
``reviewed/``, each with a reason.

The operators are our own. mutmut changes nothing outside functions, where byte orders and sizes are
defined, and runs only pytest. cosmic-ray starts a process for each mutant, which takes longer than
all vectors together.
"""
