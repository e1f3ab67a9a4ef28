"""`kill -9` in the middle of ingest: acknowledged rows that are gone after the server's next start.

An answer with status 200 is the promise. The machine's own death is not tried: a server that does not wait
for the disk loses nothing here and may lose minutes there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.store_data import Episode, bodies
from benchmarks.store_ingest import Setting
from benchmarks.store_send import Sent, send
from benchmarks.store_servers import Product, Running, kept, kill, start, stop

_PATIENCE_S = 120.0  # for the first acknowledgement
_STILL_S = 5.0  # after the new start, without a new row


def kill_in_ingest(
    product: Product, load: Sequence[Episode], folder: Path, setting: Setting, *, kills: int, after_s: float
) -> dict[str, Any]:
    """Send a load, kill the server `kills` times on its way, and look for every acknowledged row.

    Args: after_s: between a start's first acknowledgement and the kill; a little more at every kill.
    """
    made = iter(list(bodies(load, setting.per_request, time.time() - 3600)))
    acknowledged: set[str] = set()
    lost: list[int] = []
    for at in range(kills):
        running = start(product, folder)
        heard = threading.Event()
        killer = threading.Thread(target=_kill_later, args=(running, heard, after_s * (1 + at / 10)))
        killer.start()
        sent: Sent = send(
            running.port, product.headers, made, senders=setting.senders, budget_s=600, heard=heard
        )
        killer.join()
        acknowledged.update(sent.acknowledged)
        lost.append(_missing(product, folder, acknowledged))
    return {
        "kills": kills,
        "acknowledged": len(acknowledged),
        "lost": lost[-1] if lost else 0,
        "lost_by_kill": lost,
    }


def _kill_later(running: Running, heard: threading.Event, after_s: float) -> None:
    heard.wait(_PATIENCE_S)
    time.sleep(after_s)
    kill(running)


def _missing(product: Product, folder: Path, acknowledged: set[str]) -> int:
    """Start the server again, give it time to recover, and count what is not there."""
    running = start(product, folder)
    try:
        count, changed_s = -1, time.monotonic()
        while time.monotonic() - changed_s < _STILL_S:
            missing = len(acknowledged - kept(product, folder))
            if not missing:
                return 0
            if missing != count:
                count, changed_s = missing, time.monotonic()
            time.sleep(0.5)
        return count
    finally:
        stop(running)
