"""A small endpoint in OpenAI's form with a scripted model: chat completions and responses, over HTTP.

A question enters, and a tool call or words leave, always the same. The script looks at the conversation that
it is sent and keeps nothing, so a framework may ask as it likes: in one agent or several, by either
interface. It knows a shop's three questions; any other is answered by saying so.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ORDER = "Where is my order A-4417?"
RETRY = "Where is my order 4417?"  # the shop knows no such id: the tool fails, and the agent tries again
REFUND = "I want my money back for order A-4417."  # the front desk hands it over to the agent for refunds
MODEL = "gpt-4o-mini"  # a name that the frameworks' own tables know

HAND_OVER = "hand over"  # stands for whatever tool a framework has for that
Step = tuple[str, Mapping[str, Any]] | str
SCRIPT: Mapping[tuple[str, str], Sequence[Step]] = {
    ("desk", ORDER): [
        ("get_order", {"order_id": "A-4417"}),
        ("track_parcel", {"parcel": "P-88"}),
        "Your order A-4417 is on its way and comes tomorrow.",
    ],
    ("desk", RETRY): [
        ("get_order", {"order_id": "4417"}),
        ("get_order", {"order_id": "A-4417"}),
        "Your order A-4417 has been sent.",
    ],
    ("desk", REFUND): [(HAND_OVER, {}), "The colleague for refunds has paid 29.50 euros back."],
    ("refunds", REFUND): [
        ("refund_order", {"order_id": "A-4417", "amount_eur": 29.5}),
        "You get 29.50 euros back for order A-4417.",
    ],
}
SHOP_TOOLS = frozenset({"get_order", "track_parcel", "refund_order"})


@dataclass(frozen=True, slots=True)
class Decision:
    """What the model says: words, or one tool call."""

    words: str = ""
    tool: str = ""
    args: Mapping[str, Any] | None = None


def get_order(order_id: str) -> dict[str, str]:
    """Look up an order by its id.

    Raises: ValueError: there is no such order.
    """
    if not order_id.startswith("A-"):
        raise ValueError(f"no order {order_id}: ids begin with A-")
    return {"order_id": order_id, "status": "sent", "parcel": "P-88"}


def track_parcel(parcel: str) -> str:
    """Say where a parcel is."""
    return f"parcel {parcel} is at the depot, delivery tomorrow"


def refund_order(order_id: str, amount_eur: float) -> str:
    """Pay an order back."""
    return f"paid {amount_eur:.2f} euros back for {order_id}"


def decide(texts: Sequence[str], made: Sequence[str], tools: Mapping[str, Mapping[str, Any]]) -> Decision:
    """The script's next step.

    Args:
        texts: all that was said, in order.
        made: names of the tools that were called so far.
        tools: what is on offer, with each one's parameters as JSON schema.
    """
    asked = next((one for one in (ORDER, RETRY, REFUND) if any(one in text for text in texts)), "")
    who = "refunds" if "refund_order" in tools else "desk"
    steps = SCRIPT.get((who, asked), ["I can only help with orders."])
    step = steps[min(sum(name in tools for name in made), len(steps) - 1)]
    if isinstance(step, str):
        return Decision(words=step)
    name, args = step
    if name == HAND_OVER:
        others = [tool for tool in tools if tool not in SHOP_TOOLS]
        if not others:
            return Decision(words="Refunds, please take over.")
        name = others[0]
        args = _hand_over(asked, tools[name])
    return Decision(tool=name, args=args)


def _hand_over(asked: str, schema: Mapping[str, Any]) -> dict[str, str]:
    """Fill whatever a hand-over needs: the colleague's name where it is asked for, else the question."""
    names = schema.get("properties", {})
    return {name: "Refunds" if name in ("coworker", "agent") else asked for name in names}


@contextmanager
def fake_openai() -> Iterator[str]:
    """Serve on a free port of this machine; the base URL, until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, name="fake-openai", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_NUMBERS = itertools.count(1)  # ids of answers and calls differ over one process


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = {"/v1/chat/completions": _chat, "/v1/responses": _response}[self.path](sent)
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: a recording shows its own words alone."""


def _chat(sent: Mapping[str, Any]) -> dict[str, Any]:
    messages = sent["messages"]
    tools = {one["function"]["name"]: one["function"].get("parameters", {}) for one in sent.get("tools", ())}
    made = [call["function"]["name"] for m in messages for call in m.get("tool_calls") or ()]
    decision = decide([json.dumps(m.get("content"), ensure_ascii=False) for m in messages], made, tools)
    number = next(_NUMBERS)
    message: dict[str, Any] = {"role": "assistant", "content": decision.words or None}
    if decision.tool:
        function = {"name": decision.tool, "arguments": json.dumps(decision.args)}
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
    read, written = _counted(messages), _counted(message)
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_800_000_000,
        "model": MODEL,
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if decision.tool else "stop"}
        ],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


def _response(sent: Mapping[str, Any]) -> dict[str, Any]:
    items = sent["input"] if isinstance(sent["input"], list) else [{"content": sent["input"]}]
    tools = {one["name"]: one.get("parameters", {}) for one in sent.get("tools", ())}
    made = [item["name"] for item in items if item.get("type") == "function_call"]
    decision = decide([json.dumps(item, ensure_ascii=False) for item in items], made, tools)
    number = next(_NUMBERS)
    output: dict[str, Any]
    if decision.tool:
        output = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
        output |= {"name": decision.tool, "arguments": json.dumps(decision.args), "status": "completed"}
    else:
        text = {"type": "output_text", "text": decision.words, "annotations": []}
        output = {"type": "message", "id": f"msg_{number}", "role": "assistant"}
        output |= {"content": [text], "status": "completed"}
    read, written = _counted(items), _counted(output)
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_800_000_000,
        "status": "completed",
        "model": MODEL,
        "output": [output],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": sent.get("tools", []),
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + written,
        },
    }


def _counted(value: Any) -> int:
    """Tokens, as far as a script has any: a word each."""
    return len(json.dumps(value, ensure_ascii=False).split())
