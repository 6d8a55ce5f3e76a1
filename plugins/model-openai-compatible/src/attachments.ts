import { isRecord, textOf } from './json.ts'

type Fields = Readonly<Record<string, unknown>>

/** The key of what this plugin keeps with a reply, and of what the AI SDK adds to a message. */
export const KEY = 'openaiCompatible'

/**
 * What endpoints attach to a reply and want to see again with it, unread.
 *
 * Sources: the API references of OpenRouter (`reasoning_details`), LiteLLM (`thinking_blocks`),
 * Gemini behind this protocol (`extra_content`), and of others that sign or encrypt thoughts.
 */
const OF_REPLY = [
  'reasoning_details',
  'thinking_blocks',
  'extra_content',
  'reasoning_signature',
  'reasoning_opaque',
  'reasoning_encrypted_content',
  'encrypted_content',
  'thought_signature',
] as const
/** The same of one call. */
const OF_CALL = ['extra_content', 'provider_specific_fields', 'thought_signature', 'signature']

/** Fields of what thinks in words: pieces of one text. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'summary', 'thinking', 'data', 'signature'])

/** What is attached to a reply, put together from the deltas of its stream. */
export class Attachments {
  #fields: Fields = {}

  add(delta: Fields): void {
    for (const name of OF_REPLY) {
      const value = delta[name]
      if (value === undefined || value === null || value === '') continue
      this.#fields = { ...this.#fields, [name]: joined(this.#fields[name], value) }
    }
  }

  /** Nothing where nothing is attached. */
  get fields(): Fields | undefined {
    return Object.keys(this.#fields).length > 0 ? this.#fields : undefined
  }
}

/** What is attached to a call, but for what the AI SDK sends back itself. */
export function attachedToCall(call: Fields): Fields | undefined {
  const found = OF_CALL.flatMap((name) => {
    const value = call[name]
    if (value === undefined || value === null || isGoogleAlone(name, value)) return []
    return [[name, value] as const]
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

const isGoogleAlone = (name: string, value: unknown): boolean =>
  name === 'extra_content' &&
  isRecord(value) &&
  Object.keys(value).every((key) => key === 'google') &&
  isRecord(value.google) &&
  Object.keys(value.google).every((key) => key === 'thought_signature')

function joined(before: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.reduce(withBlock, Array.isArray(before) ? before : [])
  if (typeof value === 'string' && typeof before === 'string') return before + value
  return isRecord(value) && isRecord(before) ? { ...before, ...value } : value
}

/** Blocks of one index are pieces of one; without an index, those of words side by side are. */
function withBlock(blocks: readonly unknown[], block: unknown): readonly unknown[] {
  const last = blocks.at(-1)
  if (!isRecord(block) || !isRecord(last) || !isSame(last, block)) return [...blocks, block]
  const whole = { ...last }
  for (const [name, value] of Object.entries(block)) {
    const known = whole[name]
    const isPiece = TEXTS.has(name) && typeof known === 'string' && typeof value === 'string'
    whole[name] = isPiece ? known + value : (value ?? known)
  }
  return [...blocks.slice(0, -1), whole]
}

function isSame(last: Fields, block: Fields): boolean {
  if (last.type !== block.type) return false
  if (typeof last.id === 'string' && typeof block.id === 'string' && last.id !== block.id)
    return false
  if (typeof block.index === 'number' || typeof last.index === 'number')
    return block.index === last.index
  return textOf(block.data) === undefined && textOf(last.data) === undefined
}
