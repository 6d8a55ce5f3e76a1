import { createHash } from 'node:crypto'
import {
  defineTool,
  err,
  wrapUntrusted,
  isObject,
  ok,
  type Failure,
  type Json,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { z } from 'zod'
import { MemoryStore, type Memory, type MemoryOrigin } from './tokens.ts'

export const REMEMBER = 'remember'

/** Notes that one call gives at most. */
const MOST_FOUND = 50

export interface ToolSettings {
  readonly maxChars: number
  readonly tier: 'allow' | 'confirm' | 'review'
}

const failed = ({ code, message }: Failure): ToolResult => ({ status: 'error', code, message })

/** The tools that note, find and forget. */
export function memoryTools({ maxChars, tier }: ToolSettings): readonly ToolDefinition[] {
  return [
    rememberTool({ maxChars, tier }),
    defineTool({
      name: 'recall',
      description:
        'Finds what was noted in earlier conversations, the best match first; without a query, the newest notes.',
      readOnly: true,
      runningLabel: 'Looking into notes',
      completedLabel: 'Looked into notes',
      input: z.object({ query: z.string().max(500).optional().describe('Words to look for') }),
      execute: async ({ query }, { scope, signal }) => {
        const listed = await scope.get(MemoryStore).list(signal)
        if (!listed.ok) return failed(listed.error)
        const found = search(listed.value, query ?? '')
        return {
          status: 'success',
          output:
            found.length === 0
              ? 'Nothing is noted of this.'
              : found.slice(0, MOST_FOUND).map(told).join('\n'),
        }
      },
    }),
    defineTool({
      name: 'forget',
      description: 'Removes a note for good.',
      readOnly: false,
      keyed: true,
      tier,
      runningLabel: 'Removing a note',
      completedLabel: 'Removed a note',
      input: z.object({ id: z.string().min(1).max(40).describe('Id of the note') }),
      execute: async ({ id }, { scope, signal, lease }) => {
        const removed = await scope.get(MemoryStore).remove(id, signal, lease)
        if (!removed.ok) return failed(removed.error)
        return {
          status: 'success',
          output: removed.value ? `The note ${id} is removed.` : `There is no note ${id}.`,
        }
      },
    }),
  ]
}

/**
 * The origin is added to the arguments before the guards see the call, so that it is judged,
 * approved and stored with them.
 */
const rememberTool = ({ maxChars, tier }: ToolSettings): ToolDefinition => ({
  name: REMEMBER,
  description:
    'Keeps a fact for later conversations with the same person, such as a preference or a decision. Not for secrets, nor for what only matters now.',
  parameters: {
    type: 'object',
    properties: {
      text: {
        type: 'string',
        minLength: 1,
        maxLength: maxChars,
        description: 'One fact, in a sentence that makes sense without this conversation',
      },
    },
    required: ['text'],
    additionalProperties: false,
  },
  parse({ text }) {
    const line = typeof text === 'string' ? oneLine(text) : ''
    if (line === '') return err('text: a sentence is expected')
    return line.length > maxChars
      ? err(`text: ${line.length} characters, and ${maxChars} are the most: say it shorter`)
      : ok({ text: line })
  },
  readOnly: false,
  keyed: true,
  tier,
  runningLabel: 'Noting',
  completedLabel: 'Noted',
  async execute({ text, origin }, { key, scope, signal, lease }) {
    if (typeof text !== 'string')
      return { status: 'error', message: 'text: a sentence is expected' }
    const noted = await scope
      .get(MemoryStore)
      .add({ id: idOf(key), text, origin: originIn(origin) }, signal, lease)
    if (!noted.ok) return failed(noted.error)
    switch (noted.value.kind) {
      case 'kept':
        return { status: 'success', output: `Noted as ${noted.value.id}.` }
      case 'known':
        return { status: 'success', output: `This is noted already, as ${noted.value.id}.` }
      case 'full':
        return {
          status: 'error',
          message: `There is room for ${noted.value.limit} ${noted.value.of}, and no more: remove some with \`forget\` first.`,
        }
    }
  },
})

/** The same for every attempt of a call. */
const idOf = (key: string): string =>
  `m${createHash('sha256').update(key).digest('hex').slice(0, 10)}`

/**
 * Characters that are invisible to people but not to models. Joiners that scripts and emoji need
 * are kept.
 */
const UNSEEN = /[[\p{C}\p{DI}]--[\u200c\u200d\ufe0f]]/gv

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').replace(UNSEEN, '').trim()

/** The origin in the arguments; without one the note counts as from outside. */
function originIn(value: Json | undefined): MemoryOrigin {
  if (!isObject(value)) return { by: 'outside', from: [] }
  const from = value['from']
  return value['by'] === 'person'
    ? { by: 'person' }
    : { by: 'outside', from: Array.isArray(from) ? from.map(String) : [] }
}

/** Notes by how many of the words they have, the newest first among equals. */
function search(notes: readonly Memory[], query: string): readonly Memory[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))]
  const newest = notes.toReversed()
  if (words.length === 0) return newest
  const scored = newest.map((note) => ({
    note,
    score: words.filter((word) => note.text.toLowerCase().includes(word)).length,
  }))
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ note }) => note)
}

function told({ id, text, origin, at }: Memory): string {
  const line = `- [${id}] ${text}`
  return origin.by === 'person'
    ? line
    : wrapUntrusted(
        line,
        `note of ${at.slice(0, 10)}${origin.from.length === 0 ? '' : `, after ${origin.from.join(', ')}`}`,
      )
}
