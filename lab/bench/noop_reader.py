"""Reply to each request at once, to measure the time of the harness and two pipes.

``python lab/bench/noop_reader.py REPLIES`` prints a hello message, and then one line of the file
REPLIES for each request. The contents of the requests are ignored. The script imports no module of
this project, so that it starts fast.
"""

import sys

HELLO = (
    b'{"name":"answers-at-once","version":"1","language":"Python","formats":["*"],'
    b'"profiles":["recover","strict"],"reports":["records","at","size","verdict","reason","lost",'
    b'"end"]}\n'
)


def main(path: str) -> None:
    """Reply to one line after the other; the first one asks for hello, and ``bye`` for nothing."""
    with open(path, "rb") as file:  # noqa: PTH123 - to import pathlib takes longer than all else
        replies = iter([HELLO, *file])
    write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
    for _ in sys.stdin.buffer:
        reply = next(replies, None)
        if reply is None:
            return
        write(reply)
        flush()


if __name__ == "__main__":
    main(sys.argv[1])
