"""Wrong: a one-shot program that reports every log as intact."""

import json
import sys
from pathlib import Path

from breakable_reader import Reader, answer

if sys.argv[1:2] == ["read"]:
    found = answer(Reader(Path(sys.argv[3]).read_bytes()))
    print(json.dumps({"verdict": "intact", "records": found["records"]}))
