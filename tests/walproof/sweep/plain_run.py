"""A small sweep as a program of its own, to be killed: ``plain_run FOLDER CASES``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.walproof.sweep.plans import small_plan
from walproof.sweep.sweep_folder import SweepFolder, run_shards

if __name__ == "__main__":
    plan, _ = small_plan(cases=int(sys.argv[2]), shard_cases=500)
    folder = SweepFolder(Path(sys.argv[1]))
    todo = folder.begin(plan, False)
    run_shards(plan, folder, todo)
    print(json.dumps({"todo": len(todo), "shards": len(plan.shards)}))
