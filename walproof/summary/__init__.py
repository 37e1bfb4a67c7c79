"""What somebody who holds a log wants to know first: what it is, whether it is whole, what is lost.

``unpacked`` leads from what was typed (a file, a folder, ``-``, a pipe, a compressed file, an
archive) to a log on this machine; ``summary`` reads it once, and keeps of its records the first and
the last; ``screen`` prints what was found so that it fits a terminal.
"""
