import type { JsonObject, SendRequest } from '@amodal/sdk'
import { listedKey } from '@amodal/plugin-compaction/tokens'
import { directCall } from '@amodal/plugin-loop/tokens'

/** Where the call stands in the state of its session. */
export const STATE = 'wire-mcp'

/** The message whose turn makes one call and nothing else, in a session of its own. */
export const directMessage = (tool: string, args: JsonObject, call: string): SendRequest => ({
  text: `Call of \`${tool}\` over MCP`,
  sessionState: {
    ...directCall(STATE, { call, tool, arguments: args }),
    [listedKey(tool)]: true,
  },
})
