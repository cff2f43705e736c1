"""The loop of an agent that uses contextd, with Python's standard library alone.

    python3 loop.py

The arguments are the command of contextd; without them it is `contextd`.
"""

import itertools
import json
import subprocess
import sys


class RequestError(Exception):
    """The daemon refused a request."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.kind = (error.get("data") or {}).get("kind")


class Client:
    """A connection to the daemon, one request at a time: a JSON object per line in both directions."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            [*command, "--stdio", "--framing=ndjson"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.ids = itertools.count(1)
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def request(self, method, params=None):
        id = next(self.ids)
        self.send({"id": id, "method": method, "params": params or {}})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == id and "method" not in message:
                if "error" in message:
                    raise RequestError(message["error"])
                return message["result"]
        raise ConnectionError("the daemon has ended")

    def close(self):
        self.request("shutdown")
        self.send({"method": "exit"})
        self.process.wait()


class Overflow(Exception):
    """The provider's answer to a prompt that does not fit."""


def call_model(messages):
    """Replaces your provider's API: a model that takes 5,000 tokens, although 8,000 were stated."""
    size = len(json.dumps(messages, separators=(",", ":"), ensure_ascii=False))
    tokens = -(-size // 4)
    if tokens > 5000:
        raise Overflow(f"prompt is too long: {tokens} tokens > 5000 maximum")
    text = f"Message {len(messages)} deserves a long answer. " * 40
    return text, {"input": tokens, "output": -(-len(text) // 4)}


def ask(client, session):
    """Asks the model. If the context overflows anyway, contextd compacts and returns what to send instead."""
    options = {"request": {"systemPrompt": "You are a patient teacher."}, "format": "anthropic"}
    prepared = client.request("context/prepare", {**session, **options})
    compaction = prepared["compaction"]
    if compaction and compaction["compacted"]:
        print(f"  compacted: {compaction['tokensBefore']} -> {compaction['tokensAfter']} tokens")
    messages = prepared["messages"]
    while True:
        try:
            return call_model(messages)
        except Overflow as error:
            recovered = client.request("context/recover", {**session, **options, "error": str(error)})
            if not recovered["retryable"]:
                raise
            compaction = recovered["compaction"]
            print(f"  recovered: {compaction['tokensBefore']} -> {compaction['tokensAfter']} tokens")
            messages = recovered["messages"]


def main():
    client = Client(sys.argv[1:] or ["contextd"])
    model = {"provider": "anthropic", "model": "claude-sonnet-4-5", "contextWindow": 8000, "maxOutputTokens": 1000}
    session = {"sessionId": client.request("session/open", model)["sessionId"]}
    for turn in range(1, 31):
        question = {"role": "user", "content": f"Question {turn}: what is {turn} times {turn}?"}
        client.request("session/append", {**session, "messages": [question]})
        text, usage = ask(client, session)
        answer = {"role": "assistant", "content": text, "usage": usage}
        client.request("session/append", {**session, "messages": [answer]})
        stats = client.request("context/stats", session)
        print(f"turn {turn}: {stats['estimatedInputTokens']} tokens, {stats['state']}")
    client.request("session/delete", session)
    client.close()


main()
