"""Wrong: a one-shot program that prints the right answer, and falls over when it is torn down."""

import json
import os
import sys
from pathlib import Path

from breakable_reader import Reader, answer

if sys.argv[1:2] == ["read"]:
    print(json.dumps(answer(Reader(Path(sys.argv[3]).read_bytes()))), flush=True)
    os.abort()
