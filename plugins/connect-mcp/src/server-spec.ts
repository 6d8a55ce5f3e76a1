import { err, ok, PERSISTENCES, type JsonObject, type Result } from '@amodal/sdk'
import { z } from 'zod'
import { authSpec } from './oauth/auth-spec.ts'

const trusted = {
  /** Its marks count: a tool that it calls read-only runs without being asked about. */
  trust: z.boolean().default(false),
  /** ms for one call. */
  timeoutMs: z.int().min(1).max(3_600_000).exactOptional(),
  /** How long the model sees what its tools give. */
  resultPersistence: z.enum(PERSISTENCES).exactOptional(),
  /** No client sees what its tools give. */
  private: z.boolean().exactOptional(),
  /** Folders that it is told of, relative to the agent's own. It is not kept from others. */
  roots: z.array(z.string().min(1)).max(100).default([]),
  /** It may ask the model of the agent: after a person was asked each time, or just so. */
  sampling: z.enum(['ask', 'allow']).exactOptional(),
  /** People are shown addresses that it wants them to open. */
  openUrls: z.boolean().default(false),
  /** `false`: the agent does not see its resources. */
  resources: z.boolean().default(true),
  /** `false`: the agent does not see its prompts. */
  prompts: z.boolean().default(true),
}
const texts = z.record(z.string(), z.string()).default({})
const address = z
  .string()
  .refine(
    (text) => text.startsWith('env:') || /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
    'is no http or https address',
  )

const remote = { url: address, headers: texts, auth: authSpec.exactOptional() }

const specs = z.discriminatedUnion('transport', [
  z.object({
    transport: z.literal('stdio'),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: texts,
    cwd: z.string().min(1).exactOptional(),
    ...trusted,
  }),
  z.object({ transport: z.literal('sse'), ...remote, ...trusted }),
  z.object({ transport: z.literal('http'), ...remote, ...trusted }),
])

/** How a server is reached, `env:` references unresolved. */
export type ServerSpec = z.output<typeof specs>

/**
 * Reads the `spec.json` of an MCP connection. Without `transport`, a `command` means stdio and a
 * `url` http.
 */
export function readServerSpec(spec: JsonObject): Result<ServerSpec, string> {
  const transport = spec['transport'] ?? ('command' in spec ? 'stdio' : 'http')
  const read = specs.safeParse({ ...spec, transport })
  if (read.success) return ok(read.data)
  return err(
    read.error.issues
      .map(({ path, message }) => `${path.join('.') || 'spec'}: ${message}`)
      .join('; '),
  )
}
