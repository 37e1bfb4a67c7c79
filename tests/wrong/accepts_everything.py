"""Wrong: report that every log is intact and empty, and that every write has succeeded."""

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
