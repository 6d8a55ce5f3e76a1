const NOTE =
  'Part of the scaffold: `amodal tool-scaffold install` writes this file. Do not edit it.'

const INIT = `"""What versioned tools in Python import.

The server has \`UserVariables\` and \`fetch\` itself. These are here for editors and type checkers.
${NOTE}
"""

from typing import Any, Dict, Optional, Union

from .user_variables import UserVariables

__all__ = ["Response", "UserVariables", "fetch"]


class Response:
    """What \`fetch\` returns."""

    status: int
    headers: Dict[str, str]
    body: bytes

    def text(self) -> str:
        raise NotImplementedError

    def json(self) -> Any:
        raise NotImplementedError


async def fetch(
    url: str,
    method: str = "GET",
    headers: Optional[Dict[str, str]] = None,
    body: Union[str, bytes, dict, list, None] = None,
) -> Response:
    """A request that the server makes, under its rules for addresses, sizes and time."""
    raise NotImplementedError("fetch works on the server alone")
`

const USER_VARIABLES = `"""Key-value pairs of the user's profile.

${NOTE}
"""


class UserVariables(dict):
    """\`user_variables["crm_id"]\` or \`user_variables.crm_id\`."""

    def __getattr__(self, name: str) -> str:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the user has no variable {name}") from None
`

const TYPES = `"""Types of the arguments of \`run_tool\`.

${NOTE}
"""

from typing import Any, Awaitable, Callable, Dict, Optional, TypedDict, Union


class ToolMetadata(TypedDict):
    """What is known of one run."""

    # "regular" or "conversation-simulation", in which a tool acts on nothing outside
    invocation_mode: str
    invocation_id: str
    tool_id: str
    tool_name: str
    # None: the head of a branch is tested
    version: Optional[str]


# The environment variables of the tool by name, secrets among them.
ToolConfig = Dict[str, str]


class Conversation(TypedDict, total=False):
    """The conversation that calls the tool; None where a program invokes it."""

    conversation_id: str
    interaction_id: str
    principal: str
    # What the client sent with the message: nobody has verified it.
    context: Dict[str, Any]


# Says how the run is getting on: a dict, or a text that becomes its "message".
SendStatusEvent = Callable[[Union[Dict[str, Any], str]], Awaitable[None]]
`

/** The types of versioned tools in Python by path, below the folder of a tool. */
export const PYTHON_SCAFFOLD = {
  'amodal_tool_scaffold/__init__.py': INIT,
  'amodal_tool_scaffold/user_variables.py': USER_VARIABLES,
  'amodal_tool_scaffold/types.py': TYPES,
} as const

/** A tool to begin with. */
export const PYTHON_TOOL = `from typing import Optional, TypedDict

from amodal_tool_scaffold.types import Conversation, SendStatusEvent, ToolConfig, ToolMetadata
from amodal_tool_scaffold.user_variables import UserVariables


class Input(TypedDict):
    order: int


class Output(TypedDict):
    order: int
    status: str


async def run_tool(
    tool_input: Input,
    metadata: ToolMetadata,
    config: ToolConfig,
    conversation: Optional[Conversation],
    send_status_event: SendStatusEvent,
    user_variables: UserVariables,
) -> Output:
    if metadata["invocation_mode"] == "conversation-simulation":
        return {"order": tool_input["order"], "status": "shipped"}
    await send_status_event({"message": f"Looking for order {tool_input['order']}"})
    # Ask your own system here: with \`amodal_tool_scaffold.fetch\`, and with what \`config\` has of
    # the tool's variables.
    return {"order": tool_input["order"], "status": "shipped"}
`
