import type { Tool } from '@modelcontextprotocol/client'
import {
  hashOf,
  ok,
  type AccessTier,
  type Connection,
  type Json,
  type JsonObject,
  type ToolDefinition,
  isObject,
} from '@amodal/sdk'
import type { Server } from './server.ts'
import { namesSecret, shown, shownSchema, type Mask } from './untrusted.ts'

/** Characters of a tool's own name, as the protocol has it. */
const NAME = 128
const DESCRIPTION = 2_000
const SCHEMA_TEXT = 1_000
/** Characters of a schema, past which a tool is more of a prompt than of a tool. */
const SCHEMA = 50_000

/**
 * A tool of a server as the agent has it, or why it has not. What its server says of it is
 * untrusted: it is cleaned, freed of secrets and cut, and its marks count only where the
 * connection says `trust`.
 */
export function toolOf(
  name: string,
  tool: Tool,
  server: Server,
  connection: Connection,
  callMs: number,
  mask: Mask,
): ToolDefinition | string {
  if (tool.execution?.taskSupport === 'required')
    return 'it runs as a task only, which is not supported'
  // People are shown it when they are asked, and rules are found by it.
  if (tool.name === '' || tool.name !== shown(tool.name, NAME, mask))
    return 'its name cannot be shown'
  if (namesSecret(tool.inputSchema as JsonObject, mask))
    return 'the names of its parameters hold a secret' // it was JSON on the wire
  // it was JSON on the wire
  const parameters = shownSchema(tool.inputSchema as JsonObject, SCHEMA_TEXT, mask)
  if (JSON.stringify(parameters).length > SCHEMA)
    return `its parameters take more than ${SCHEMA} characters`
  const readOnly = server.spec.trust && tool.annotations?.readOnlyHint === true
  const tier = tierOf(connection, tool.name, readOnly)
  if (tier === 'never') return 'access.json says "never"'
  const text = [tool.title ?? tool.annotations?.title, tool.description]
    .filter((text) => text !== undefined && text !== '')
    .join(': ')
  return {
    name,
    parameters,
    readOnly,
    tier,
    description:
      text === ''
        ? `The tool "${tool.name}" of the MCP server "${server.name}".`
        : shown(text, DESCRIPTION, mask),
    timeoutMs: server.spec.timeoutMs ?? callMs,
    ...(server.spec.resultPersistence && { resultPersistence: server.spec.resultPersistence }),
    ...(server.spec.private && { private: true }),
    // Another server behind the same name is another tool than was approved.
    digest: hashOf({ spec: connection.spec, tool: tool.name }),
    parse: (args) => ok(args),
    action: (args) =>
      ok({
        connection: connection.name,
        protocol: 'mcp',
        method: 'CALL',
        path: tool.name,
        query: {},
        headers: {},
        body: args,
        effect: readOnly ? 'read' : 'write',
      }),
    execute: (args, ctx) =>
      server.call(
        {
          as: name,
          own: tool.name,
          readOnly,
          request: { kind: 'tool', tool, args: bodyOf(ctx.action?.body) ?? args },
        },
        ctx,
      ),
  }
}

/** What is sent is what was judged. */
export const bodyOf = (body: Json | undefined): JsonObject | undefined =>
  isObject(body) ? body : undefined

const STRICT: Readonly<Record<AccessTier, number>> = { allow: 0, confirm: 1, review: 2, never: 3 }

/**
 * The least approval that a call needs. A rule that names the tool decides; without one, what reads
 * on a trusted server runs, and anything else asks, whatever the default for unlisted ones may
 * allow.
 */
export function tierOf(
  { access, accessGiven }: Connection,
  tool: string,
  readOnly: boolean,
): AccessTier {
  if (!accessGiven) return readOnly ? 'allow' : 'confirm'
  const rules = access.rules.filter(
    ({ method, path }) => (method === 'CALL' || method === '*') && path.replace(/^\//, '') === tool,
  )
  if (rules.length > 0) return rules.map(({ tier }) => tier).reduce(stricter)
  return stricter(
    readOnly ? 'allow' : 'confirm',
    readOnly ? access.fallback.read : access.fallback.write,
  )
}

const stricter = (a: AccessTier, b: AccessTier): AccessTier => (STRICT[a] >= STRICT[b] ? a : b)
