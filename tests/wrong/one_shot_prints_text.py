"""Wrong: a one-shot program that prints a line for people before its answer."""

import json
import sys
from pathlib import Path

from breakable_reader import Reader, answer

if sys.argv[1:2] == ["read"]:
    print("1 log read")
    print(json.dumps(answer(Reader(Path(sys.argv[3]).read_bytes()))))
