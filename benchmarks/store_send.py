"""The client: bodies enter, and what the server said to each, and when, leaves.

One thread a sender, each with a connection that it keeps, like an exporter that waits for its answer. A
server that pushes back is waited for and sent the same body again; any other refusal is noted and gone.
"""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.store_data import Body

_PATIENCE_S = 120.0  # for one answer
_AGAIN_S = 0.2  # after a server pushed back without saying for how long


@dataclass(slots=True)
class Sent:
    """What became of the bodies."""

    began_s: float  # clock of time.monotonic
    ended_s: float = 0.0
    acknowledged: list[str] = field(default_factory=list)  # span ids whose answer was 200
    answers_s: list[float] = field(default_factory=list)  # how long each acknowledged request took
    pushed_back: int = 0
    refused: list[str] = field(default_factory=list)  # "500: why", one a request


def send(
    port: int,
    headers: Mapping[str, str],
    bodies: Iterable[Body],
    *,
    senders: int,
    budget_s: float,
    heard: threading.Event | None = None,
) -> Sent:
    """Send until the bodies or the time are at their end, or nobody answers any more.

    Args: heard: set at the first acknowledgement.
    """
    sent = Sent(time.monotonic())
    lock = threading.Lock()
    waiting = iter(bodies)

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
        try:
            while time.monotonic() - sent.began_s < budget_s:
                with lock:
                    body = next(waiting, None)
                until_s = sent.began_s + budget_s
                if body is None or not _deliver(connection, headers, body, sent, lock, until_s):
                    return
                if heard is not None and sent.acknowledged:
                    heard.set()
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent.ended_s = time.monotonic()
    return sent


def _deliver(
    connection: http.client.HTTPConnection,
    headers: Mapping[str, str],
    body: Body,
    sent: Sent,
    lock: threading.Lock,
    until_s: float,
) -> bool:
    """One body, until it is taken or refused. Returns: False where nobody answers or time is up."""
    while time.monotonic() < until_s:
        asked_s = time.monotonic()
        try:
            connection.request(
                "POST", "/v1/traces", body.data, {"Content-Type": "application/x-protobuf", **headers}
            )
            answer = connection.getresponse()
            said = answer.read()
        except (OSError, http.client.HTTPException):
            return False
        with lock:
            if answer.status == 200:
                sent.acknowledged.extend(body.rows)
                sent.answers_s.append(time.monotonic() - asked_s)
                return True
            if answer.status not in (429, 503):
                sent.refused.append(f"{answer.status}: {said[:200].decode(errors='replace')}")
                return True
            sent.pushed_back += 1
        time.sleep(float(answer.getheader("Retry-After") or _AGAIN_S))
    return False
