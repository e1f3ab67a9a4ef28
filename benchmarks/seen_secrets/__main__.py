"""Print the counts of the set for a seed: `python -m benchmarks.seen_secrets 7`."""

from __future__ import annotations

import sys

from benchmarks.seen_secrets import check, debatable, look_alikes

if __name__ == "__main__":
    chosen = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    counts = check(chosen)
    others = f"{len(look_alikes(chosen))} look-alikes, {len(debatable(chosen))} debatable"
    print(f"{sum(counts.values())} texts, {others}")
    for kind, count in counts.most_common():
        print(f"{count:4d}  {kind}")
