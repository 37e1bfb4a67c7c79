"""A one-shot program that accepts the profile ``strict`` as an optional last argument."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from reference_impl.answer import collect
from reference_impl.formats import named

if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] != "read":
        sys.exit("usage: read FORMAT PATH [strict]")
    profile = sys.argv[4] if len(sys.argv) > 4 else "recover"
    events = named(sys.argv[2]).read(Path(sys.argv[3]), profile, {})
    print(json.dumps(collect(events).to_json()))
