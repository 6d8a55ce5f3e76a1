import type { JsonObject } from '@amodal/sdk'
import {
  type Issues,
  type JsonFile,
  pathText,
  refuseUnknown,
  shaped,
  valueAt,
  warnUnknown,
} from '@amodal/sdk/files'
import { z } from 'zod'

const text = z.string().min(1)
const block = z.looseObject({})

/**
 * Blocks of the manifest that other plugins read, as far as nobody else says what is wrong with
 * them.
 */
export const blocksShape = z.looseObject({
  mcp: block.exactOptional(),
  tools: block.exactOptional(),
  webTools: block.exactOptional(),
  security: z.looseObject({ planMode: text.exactOptional() }).exactOptional(),
  sandbox: z
    .looseObject({
      shellExec: z.boolean().exactOptional(),
      template: text.exactOptional(),
      maxTimeout: z.int().positive().exactOptional(),
    })
    .exactOptional(),
  embed: block.exactOptional(),
  proactive: z.looseObject({ webhook: text.exactOptional() }).exactOptional(),
  connections: block.exactOptional(),
  adminAgent: text.exactOptional(),
  memory: z
    .looseObject({
      enabled: z.boolean(),
      editableBy: z.enum(['any', 'admin', 'none']).exactOptional(),
      maxEntries: z.int().min(1).max(2_000).exactOptional(),
      maxTotalChars: z.int().min(1).max(1_000_000).exactOptional(),
      nudgeInterval: z.int().min(0).max(10_000).exactOptional(),
      sessionSearch: z.boolean().exactOptional(),
    })
    .exactOptional(),
  strict: z.boolean().exactOptional(),
})
const MEMORY = [
  'enabled',
  'editableBy',
  'maxEntries',
  'maxTotalChars',
  'nudgeInterval',
  'sessionSearch',
]

const INSIDE: Readonly<Record<string, readonly string[]>> = {
  mcp: ['servers'],
  security: ['planMode'],
  sandbox: ['shellExec', 'template', 'maxTimeout'],
  proactive: ['webhook'],
  stores: ['backend', 'dataDir', 'postgresUrl', 'connectionString'],
  tools: ['web', 'resultPersistence', 'result_persistence', 'private'],
  webTools: ['provider', 'apiKey', 'baseUrl', 'model'],
}

/** Fields of the format that no part of this release reads, and the part that they belong to. */
const LATER: readonly {
  readonly path: readonly string[]
  readonly part: string
  readonly fix?: string
}[] = [
  { path: ['sandbox', 'template'], part: 'hosted sandboxes' },
  { path: ['trace'], part: 'traces' },
]

/** Names of the fields above. */
export const BLOCKS: readonly string[] = [
  ...Object.keys(blocksShape.shape),
  'trace',
  'state',
  'mutable',
  'expressions',
  'panels',
  'notify',
  'evals',
  'feedback',
  'usage',
  'workspace',
  'orgTools',
]

/** Checks the blocks that are not read here, and tells which of them nobody reads. */
export function checkBlocks(json: JsonFile<JsonObject>, issues: Issues): boolean {
  const read = shaped(blocksShape, json, [], issues)
  for (const [name, known] of Object.entries(INSIDE)) warnUnknown(json, [name], known, issues)
  // What limits the memory is a protection.
  refuseUnknown(json, ['memory'], MEMORY, issues)
  if (valueAt(json.value, ['memory', 'sessionSearch']) === true)
    issues.error('BAD_REPO', 'no tool searches old sessions yet', {
      file: json.file,
      line: json.lineOf(['memory', 'sessionSearch']),
      fix: 'write "sessionSearch": false',
    })
  for (const { path, part, fix = 'leave it for then, or remove it' } of LATER) {
    if (valueAt(json.value, path) === undefined) continue
    issues.warn(
      'BAD_REPO',
      `\`${pathText(path)}\` belongs to ${part}, no part of this release; it is kept, and nothing reads it`,
      { file: json.file, line: json.lineOf(path), fix },
    )
  }
  return read !== undefined
}
