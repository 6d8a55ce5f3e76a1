import { type JsonObject, PERSISTENCES } from '@amodal/sdk'
import {
  type Issues,
  type JsonFile,
  type Path,
  placeOf,
  shaped,
  valueAt,
  warnUnknown,
} from '@amodal/sdk/files'
import { z } from 'zod'
import { warnTrusted } from './warn-trusted.ts'

export const MCP_FIELDS = [
  '$schema',
  'protocol',
  'name',
  'description',
  'transport',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'auth',
  'trust',
  'trusted',
  'timeoutMs',
  'limits',
  'tools',
  'resultPersistence',
  'result_persistence',
  'private',
  'resources',
  'prompts',
  'roots',
  'sampling',
  'openUrls',
]

const text = z.string().min(1)
/** The fields of an MCP connection. */
export const mcpSpecShape = z.looseObject({
  transport: z.enum(['stdio', 'sse', 'http']).exactOptional(),
  command: text.exactOptional(),
  args: z.array(z.string()).exactOptional(),
  env: z.record(text, z.string()).exactOptional(),
  url: text
    .refine(
      (value) => value.startsWith('env:') || /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
      {
        error: 'is no http or https address',
        params: { fix: 'write it as in https://mcp.example.com/mcp' },
      },
    )
    .exactOptional(),
  headers: z.record(text, z.string()).exactOptional(),
  // what it holds is the affair of the plugin that signs in
  auth: z.looseObject({ type: z.enum(['none', 'oauth2']) }).exactOptional(),
  trust: z.boolean().exactOptional(),
  trusted: z.boolean().exactOptional(),
  timeoutMs: z.int().positive().exactOptional(),
  resultPersistence: z.enum(PERSISTENCES).exactOptional(),
  result_persistence: z.enum(PERSISTENCES).exactOptional(),
  private: z.boolean().exactOptional(),
  resources: z.boolean().exactOptional(),
  prompts: z.boolean().exactOptional(),
  roots: z.array(text).exactOptional(),
  sampling: z.enum(['ask', 'allow']).exactOptional(),
  openUrls: z.boolean().exactOptional(),
})

/**
 * Checks the spec of an MCP connection, in a file of its own or in `mcp.servers`.
 *
 * @returns it as read, with its transport said
 */
export function readMcpSpec(json: JsonFile, at: Path, issues: Issues): JsonObject | undefined {
  warnUnknown(json, at, MCP_FIELDS, issues)
  const read = shaped(mcpSpecShape, json, at, issues)
  if (!read) return undefined
  if (read.transport === undefined && read.command === undefined && read.url === undefined) {
    issues.error('BAD_REPO', 'it says neither what to start nor where to find it', {
      ...placeOf(json, at),
      fix: 'add "command" for a server of this machine, or "url"',
    })
    return undefined
  }
  warnTrusted(json, at, issues)
  const transport = read.transport ?? (read.command !== undefined ? 'stdio' : 'http')
  const needed = transport === 'stdio' ? 'command' : 'url'
  if (read[needed] === undefined) {
    issues.error('BAD_REPO', `\`${needed}\` is missing, and the transport ${transport} needs it`, {
      ...placeOf(json, at),
      fix: `add "${needed}"`,
    })
    return undefined
  }
  const raw = valueAt(json.value, at) as JsonObject // `shaped` has found an object there
  const resultPersistence = read.resultPersistence ?? read.result_persistence
  return { ...raw, protocol: 'mcp', transport, ...(resultPersistence && { resultPersistence }) }
}
