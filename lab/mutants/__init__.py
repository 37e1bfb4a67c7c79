"""Mutants of the executable specification, and whether the vectors alone tell them from it.

A mutant is the specification with one small change. A vector that gives another answer kills it. A
mutant that lives is a wrong reader or writer that would be certified, or it is equivalent: no log
shows the change. Those are listed in ``reviewed/``, each with a reason.

The operators are our own: mutmut changes nothing outside of functions, where byte orders and sizes
are, and runs pytest only; cosmic-ray starts a process for each mutant, which takes longer than all
vectors together.
"""
