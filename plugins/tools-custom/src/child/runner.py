"""The program of a Python handler process. It loads one handler and calls it as often as it is told to."""

import asyncio
import datetime
import decimal
import importlib.util
import inspect
import json
import os
import queue
import signal
import socket
import sys
import threading
import traceback
import types
import uuid

channel = socket.socket(fileno=3)
sending = threading.Lock()


def send(message):
    line = json.dumps(message, default=plain, allow_nan=False).encode() + b"\n"
    with sending:
        channel.sendall(line)


def plain(value):
    """What has a plain form is sent in it; anything else is an error that says so."""
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, (decimal.Decimal, uuid.UUID)):
        return str(value)
    raise TypeError(f"the result holds a {type(value).__name__}, which cannot be sent: return data")


class CallError(Exception):
    """Something that the handler asked for was refused or failed; `code` says why."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def frozen(value):
    """A handler that writes into what it was given is told so at once."""
    if isinstance(value, dict):
        return types.MappingProxyType({key: frozen(part) for key, part in value.items()})
    return tuple(frozen(part) for part in value) if isinstance(value, list) else value


class State:
    """The live state of the session: `get`, and `set` and `patch` for a mutating tool."""

    def __init__(self, context, values):
        self._context = context
        self._values = values

    def get(self):
        return self._values

    def set(self, values=None, **more):
        return self._changed(op="state", values={**(values or {}), **more})

    def patch(self, operations):
        return self._changed(op="state-patch", operations=operations)

    def _changed(self, **what):
        self._values = frozen(self._context._ask(**what))
        return self._values


class Context:
    """The `ctx` of one call: as in TypeScript, with calls that wait for their answer."""

    def __init__(self, number, facts, env):
        self._number = number
        self._env = env
        self._asked = 0
        self._waiting = {}
        self.aborted = threading.Event()
        self.user = types.SimpleNamespace(roles=facts["user"]["roles"])
        self.agent_id = facts["agentId"]
        self.scope_id = facts["scopeId"]
        self.session_id = facts["sessionId"]
        self.state = State(self, frozen(facts.get("state", {})))

    def _ask(self, **what):
        self._asked += 1
        answer = self._waiting[self._asked] = queue.SimpleQueue()
        send({"type": "ask", "call": self._number, "id": self._asked, "what": {k: v for k, v in what.items() if v is not None}})
        reply = answer.get()
        if not reply["ok"]:
            raise CallError(reply["code"], reply["message"])
        return reply["value"]

    def _tell(self, **what):
        send({"type": "tell", "call": self._number, "what": what})

    def request(self, connection, endpoint, method="GET", data=None, params=None, headers=None):
        return self._ask(op="request", connection=connection, endpoint=endpoint, method=method, data=data, params=params, headers=headers)

    def exec(self, command, cwd=None, timeout=None):
        return types.SimpleNamespace(**self._ask(op="exec", command=command, cwd=cwd, timeout=timeout))

    def store(self, name, payload):
        return self._ask(op="store", name=name, payload=payload)

    def tool(self, name, args=None):
        return self._ask(op="tool", name=name, args=args or {})

    def env(self, name):
        return self._env.get(name)

    def log(self, message):
        self._tell(op="log", message=message if isinstance(message, str) else json.dumps(message, default=plain))

    def emit(self, event):
        self._tell(op="emit", event=event)

    def set_label(self, running=None, completed=None):
        self._tell(op="label", **{k: v for k, v in {"running": running, "completed": completed}.items() if v is not None})


def place_of(error, folder):
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith(folder + os.sep):
            return {"file": os.path.relpath(frame.filename, folder), "line": frame.lineno}
    if isinstance(error, SyntaxError) and error.filename and error.filename.startswith(folder + os.sep):
        return {"file": os.path.relpath(error.filename, folder), "line": error.lineno or 1}
    return {}


def told(error, folder):
    place = place_of(error, folder)
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{message} ({place['file']}:{place['line']})" if place else message


def load(start):
    folder = os.path.dirname(start["entry"])
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("handler", start["entry"])
    module = importlib.util.module_from_spec(spec)
    sys.modules["handler"] = module
    spec.loader.exec_module(module)
    found = getattr(module, "handler", None)
    if not callable(found):
        raise TypeError("it has no handler: write `def handler(params, ctx):`")
    return found


def run(handler, message, env, current, folder):
    number = message["call"]
    context = Context(number, message["context"], env)
    current[number] = context
    try:
        value = handler(message["params"], context)
        if inspect.isawaitable(value):
            value = asyncio.run(finished(value))
        send({"type": "result", "call": number, "value": value})
    except BaseException as error:  # also SystemExit: it ends this call, and the process goes on
        code = {"code": error.code} if isinstance(error, CallError) else {}
        send({"type": "threw", "call": number, "message": told(error, folder), **code})
    finally:
        current.pop(number, None)


async def finished(awaitable):
    return await awaitable


def listen(calls, current):
    """Reads in a thread of its own, so that a handler that waits gets its answers."""
    for line in channel.makefile("r", encoding="utf-8"):
        message = json.loads(line)
        context = current.get(message.get("call"))
        if message["type"] == "answer":
            if context is not None:
                context._waiting.pop(message["id"]).put(message)
        elif message["type"] == "abort":
            if context is not None:
                context.aborted.set()
        else:
            calls.put(message)
    os.kill(os.getpid(), signal.SIGKILL)  # without the server there is nothing left to do


def main():
    calls, current = queue.SimpleQueue(), {}
    threading.Thread(target=listen, args=(calls, current), daemon=True).start()
    start = calls.get()
    os.environ.update(start["env"])
    folder = os.path.dirname(start["entry"])
    try:
        handler = load(start)
    except BaseException as error:
        send({"type": "failed", "message": f"{type(error).__name__}: {error}", **place_of(error, folder)})
        return
    send({"type": "ready"})
    while True:
        run(handler, calls.get(), start["env"], current, folder)


main()
