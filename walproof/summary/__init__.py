"""What somebody who holds a log wants to know first: what it is, whether it is whole, what is lost.

``unpacked`` leads from what was typed (a file, a folder, ``-``, a pipe, a compressed file, an
archive) to a log on this machine; ``summary`` reads it once, with memory that does not grow with
the log; ``screen`` prints what was found so that it fits a terminal.
"""
