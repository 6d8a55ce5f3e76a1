import {
  definePlugin,
  hashOf,
  isList,
  messageOf,
  ok,
  Secrets,
  Tools,
  within,
  type AgentBundle,
  type Connection,
  type JsonObject,
  type Plugin,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { brokenConnectionsOf, connectionsOf } from '@amodal/sdk/connections'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { isDeep } from './is-deep.ts'
import { withoutNullKeywords } from './responses/schema-nulls.ts'
import { Settings } from './settings.ts'
import { toolName } from './tool-name.ts'
import { toolResult } from './tool-result.ts'
import { namesSecret, shown, shownSchema, type Mask } from './untrusted.ts'

/** Who has connected to MCP servers already, such as the program around an embedded agent. */
export interface McpManager {
  /** What the servers offer now; asked at the start of each turn. */
  getDiscoveredTools(): readonly {
    /** What `callTool` takes. */
    readonly name: string
    readonly serverName: string
    /** The server's own name for it; `name` where it is left out. */
    readonly originalName?: string | null
    readonly description?: string | null
    /** JSON Schema of its arguments. */
    readonly parameters: object
  }[]
  callTool(
    name: string,
    args: Record<string, unknown>,
  ): Promise<{
    readonly content?: readonly object[] | null
    readonly structuredContent?: unknown
    readonly isError?: boolean | null
  }>
}

type DiscoveredTool = ReturnType<McpManager['getDiscoveredTools']>[number]
type Answer = Awaited<ReturnType<McpManager['callTool']>>

const NAME = 128
/** What connections may be called. */
const NAMES = /^[A-Za-z0-9][\w-]{0,63}$/
const DESCRIPTION = 2_000
const SCHEMA_TEXT = 1_000

/**
 * Gives the agent the tools of servers that somebody else keeps connected: under the same names and
 * through the same guards as those of `connections/`. Every call asks a person. Connecting, and
 * closing, is the manager's own business; a connection of the agent's files that has the name of a
 * server wins over it.
 */
export function mcpManager(manager: McpManager): Plugin {
  return definePlugin({
    name: 'mcp-manager',
    version: '1.0.0',
    requires: { secrets: Secrets },
    provides: [Tools],
    config: Settings,
    setup({ config, deps: { secrets }, add, hooks, log }) {
      const limits = { chars: config.resultChars, imageChars: config.imageChars }
      const mask: Mask = (text) => secrets.mask(text)
      const result = async (answer: Answer): Promise<ToolResult> =>
        toolResult(await readAnswer(answer), limits, mask)
      // Guards judge calls of connections, so that its servers are some. One that it finds later is
      // one from the next reload on.
      hooks.bundle.load.tap((bundle) => withServers(bundle, manager), { stage: 'late' })
      const tools = (bundle: AgentBundle): readonly ToolDefinition[] => {
        const names = new Set<string>()
        const known = new Set(
          connectionsOf(bundle)
            .filter(isGiven)
            .map(({ name }) => name),
        )
        return manager
          .getDiscoveredTools()
          .filter(({ serverName }) => known.has(serverName))
          .flatMap((tool) => {
            const { serverName } = tool
            const originalName = tool.originalName ?? tool.name
            const name = originalName.startsWith(`${serverName}__`)
              ? toolName(serverName, originalName.slice(serverName.length + 2))
              : toolName(serverName, originalName)
            const isPlain =
              shown(originalName, NAME, mask) === originalName &&
              !isDeep(tool.parameters) &&
              !namesSecret(tool.parameters as JsonObject, mask) // JSON by its type
            if (!names.has(name) && isPlain) {
              names.add(name)
              return [definitionOf(name, tool, manager, config.callMs, result, mask)]
            }
            log.warn('mcp.tool', {
              server: serverName,
              tool: shown(originalName, NAME, mask),
              message:
                'it is left out: its name is taken or cannot be shown, the names of its parameters hold a secret, or its parameters are nested too deep',
            })
            return []
          })
      }
      add(Tools, 'mcp-manager', {
        tools,
        revision: () =>
          hashOf(
            manager
              .getDiscoveredTools()
              .map(({ name, serverName, description, parameters }) => [
                serverName,
                name,
                description ?? '',
                parameters as JsonObject,
              ]),
          ),
      }) // JSON by its type
    },
  })
}

/** Of a server that somebody else keeps connected: there is nothing to start. */
export const isGiven = ({ spec }: Connection): boolean => spec['transport'] === 'given'

function withServers(bundle: AgentBundle, manager: McpManager): AgentBundle | undefined {
  const taken = new Set(
    [...connectionsOf(bundle), ...brokenConnectionsOf(bundle)].map(({ name }) => name),
  )
  const servers = new Set(
    manager
      .getDiscoveredTools()
      .map(({ serverName }) => serverName)
      .filter((name) => !taken.has(name) && NAMES.test(name)),
  )
  if (servers.size === 0) return undefined
  const given = [...servers].map((name): JsonObject => ({
    name,
    protocol: 'mcp',
    spec: { protocol: 'mcp', transport: 'given' },
    accessGiven: false,
    surface: '',
    entities: '',
    rules: '',
    file: 'mcpManager',
    access: {
      rules: [],
      fallback: { read: 'allow', write: 'confirm' },
      fieldRestrictions: [],
      rowScoping: [],
      delegations: { enabled: true, escalateConfirm: true },
      alternativeLookups: [],
    },
  }))
  const before = bundle.parts['connections']
  return {
    ...bundle,
    parts: { ...bundle.parts, connections: [...(isList(before) ? before : []), ...given] },
  }
}

function definitionOf(
  name: string,
  tool: DiscoveredTool,
  manager: McpManager,
  timeoutMs: number,
  resultOf: (answer: Answer) => Promise<ToolResult>,
  mask: Mask,
): ToolDefinition {
  const { serverName } = tool
  const originalName = tool.originalName ?? tool.name
  const description = tool.description ?? ''
  const parameters = shownSchema(
    { type: 'object', ...withoutNullKeywords(tool.parameters as JsonObject) },
    SCHEMA_TEXT,
    mask,
  ) // JSON by its type
  return {
    name,
    parameters,
    readOnly: false,
    tier: 'confirm',
    timeoutMs,
    digest: hashOf([serverName, tool.name]),
    description:
      description === ''
        ? `The tool "${originalName}" of the MCP server "${serverName}".`
        : shown(description, DESCRIPTION, mask),
    parse: (args) => ok(args),
    action: (args) =>
      ok({
        connection: serverName,
        protocol: 'mcp',
        method: 'CALL',
        path: originalName,
        query: {},
        headers: {},
        body: args,
        effect: 'write',
      }),
    async execute(args, { signal }) {
      try {
        return await resultOf(await within(manager.callTool(tool.name, args), signal))
      } catch (cause) {
        signal.throwIfAborted()
        return {
          status: 'error',
          code: 'OUTCOME_UNKNOWN',
          message: `"${name}" was called, and no answer came: ${messageOf(cause)}.`,
        }
      }
    },
  }
}

/** As the results of other servers are read: managers are not checked by anybody else. */
async function readAnswer(answer: Answer): Promise<CallToolResult> {
  // the client is large, and most agents have no MCP server
  const { MessageReader } = await import('./responses/message-reader.ts')
  const reader = new MessageReader(() => undefined)
  reader.sent({ id: 0, method: 'tools/call' })
  const message = reader.received({ id: 0, result: answer as JsonObject }) // JSON by its type
  const { result } = message as { readonly result: JsonObject } // what was just given
  return { content: [], ...result }
}
