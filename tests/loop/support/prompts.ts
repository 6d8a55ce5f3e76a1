import type { Json, Message } from '@amodal/sdk'
import { isSummary } from './plans.ts'
import type { Asked } from './scripted-model.ts'

/** What is left of an output that was masked. */
const LEFT = 400

/** A call of the conversation itself: not of a sub-agent, and none that writes notes. */
export const spoken = (asked: Asked): boolean => !isSummary(asked) && !isTask(asked)

const isTask = ({ prompt: [system] }: Asked): boolean =>
  system?.role === 'system' && system.content.includes('You work on one task for another agent')

/** Messages without the system prompt and with no more of each result than a mask leaves. */
export function outline(messages: readonly Message[]): readonly Json[] {
  const plain = JSON.parse(
    JSON.stringify(messages.filter(({ role }) => role !== 'system')),
    (key, value: unknown) => {
      if (isFile(value)) return { type: 'file', mediaType: value.mediaType }
      if (key !== 'output') return value
      const text =
        typeof value === 'object' && value !== null && 'value' in value ? value.value : value
      return (typeof text === 'string' ? text : JSON.stringify(text)).slice(0, LEFT)
    },
  ) as readonly Json[] // it was JSON a moment ago
  return plain
}

/** Sent with its bytes, and named in the history. */
const isFile = (value: unknown): value is { readonly mediaType: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'file' &&
  'mediaType' in value

/** How often a call did not go on from the one before it byte for byte, by what was different. */
export interface Changes {
  /** Older results became shorter; they never become longer again. */
  readonly masked: number
  /** Anything else: it began anew. */
  readonly anew: number
}

export function changes(asked: readonly Asked[]): Changes {
  const texts = asked.map(({ prompt, tools }) => [
    JSON.stringify(tools),
    ...prompt.map((message) => JSON.stringify(message)),
  ])
  const outlines = asked.map(({ prompt }) =>
    outline(prompt).map((message) => JSON.stringify(message)),
  )
  const found = { masked: 0, anew: 0 }
  for (const [at, after] of texts.entries()) {
    const before = at === 0 ? [] : (texts[at - 1] ?? [])
    if (goesOn(before, after)) continue
    const masked =
      goesOn(outlines[at - 1] ?? [], outlines[at] ?? []) &&
      before.every((text, n) => text === after[n] || text.length > (after[n]?.length ?? 0))
    found[masked ? 'masked' : 'anew']++
  }
  return found
}

const goesOn = (before: readonly string[], after: readonly string[]): boolean =>
  before.every((text, at) => text === after[at])
