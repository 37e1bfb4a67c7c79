"""Wrong: looks at nothing. Every log is intact and empty, every write is done at once."""

from conformance.adapterkit import serve

NOTHING = {"verdict": "intact", "reason": None, "records": [], "lost": [], "signals": []}

serve(
    {
        "name": "accepts-everything",
        "version": "0",
        "formats": ["leveldb-log"],
        "profiles": ["recover", "strict", "write", "append"],
        "reports": ["records", "verdict", "lost", "signals"],
    },
    lambda path, request: NOTHING,
    lambda path, request: None,
    lambda path, request: None,
)
