"""The program of a Python handler process. It loads one handler and calls it as often as it is told to."""

import asyncio
import base64
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


class UserVariables(dict):
    """Key-value pairs of the user's profile: `user_variables["crm_id"]`, `user_variables.crm_id`."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the user has no variable {name}") from None


def scaffold(roots):
    """The package that versioned tools import. Other modules of it, such as types, are the tool's own."""
    for name in ("amodal_tool_scaffold", "amigo_tool_scaffold"):
        package = types.ModuleType(name)
        variables = types.ModuleType(f"{name}.user_variables")
        package.__path__ = [os.path.join(root, name) for root in roots]
        package.UserVariables = variables.UserVariables = UserVariables
        package.user_variables = variables
        package.fetch = fetch
        sys.modules[name] = package
        sys.modules[f"{name}.user_variables"] = variables


running = None  # the context of the call that runs


class Response:
    def __init__(self, answer):
        self.status = answer["status"]
        self.headers = answer["headers"]
        self.body = base64.b64decode(answer["body"])

    def text(self):
        return self.body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.body)


async def fetch(url, method="GET", headers=None, body=None):
    """A request that the server makes, under its rules for addresses, sizes and time."""
    if running is None:
        raise CallError("TOOL_DENIED", "it belongs to no call")
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
    data = body.encode() if isinstance(body, str) else body
    encoded = None if data is None else base64.b64encode(data).decode()
    ask = running._ask
    return Response(await asyncio.to_thread(ask, op="fetch", url=url, method=method, headers=headers or {}, body=encoded))


def load_version(start):
    """A versioned tool: `run_tool` with its six arguments, and the schemas that it has."""
    scaffold(start["roots"])
    module = load_module(start)
    found = getattr(module, "run_tool", None)
    if not callable(found):
        raise TypeError("it has no `run_tool(tool_input, metadata, config, conversation, send_status_event, user_variables)`")
    parameters = inspect.signature(found).parameters.values()
    open_ended = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    definition = {"parameters": None if open_ended else len(parameters)}
    for name in ("input", "output"):
        schema = getattr(module, name.upper(), None)
        if isinstance(schema, dict):
            definition[name] = schema

    def called(params, context):
        global running
        running = context

        async def send_status_event(event):
            context._tell(op="emit", event=event if isinstance(event, dict) else {"message": event})

        return found(
            params["tool_input"],
            params["metadata"],
            params["config"],
            params["conversation"],
            send_status_event,
            UserVariables(params["user_variables"]),
        )

    return called, definition


def stack_of(error, folder):
    """The error with the frames that lie in the tool's own code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder + os.sep)]
    lines = traceback.format_list(frames) + traceback.format_exception_only(error)
    return "".join(lines).replace(folder + os.sep, "")[-20000:]


def load_module(start):
    folder = os.path.dirname(start["entry"])
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("handler", start["entry"])
    module = importlib.util.module_from_spec(spec)
    sys.modules["handler"] = module
    spec.loader.exec_module(module)
    return module


def load(start):
    if start["form"] == "version":
        return load_version(start)
    module = load_module(start)
    found = getattr(module, "handler", None)
    if not callable(found):
        raise TypeError("it has no handler: write `def handler(params, ctx):`")
    return found, None


def run(handler, message, env, current, folder, traced):
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
        stack = {"stack": stack_of(error, folder)} if traced else {}
        send({"type": "threw", "call": number, "message": told(error, folder), **code, **stack})
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
        handler, definition = load(start)
    except BaseException as error:
        send({"type": "failed", "message": f"{type(error).__name__}: {error}", **place_of(error, folder)})
        return
    described = {"definition": definition} if start.get("describe") and definition is not None else {}
    send({"type": "ready", **described})
    while True:
        run(handler, calls.get(), start["env"], current, folder, start["form"] == "version")


main()
