import type {
  LanguageModelV4CallOptions,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { deadline, messageOf, sleep, within } from '@amodal/kernel'
import type { LanguageModel, StreamPart } from '../ports/model.ts'

/**
 * All that a caller sees of one reply. A failure is one, wherever it came out: as a rejection or as
 * a part.
 */
export interface Observed {
  readonly parts: readonly StreamPart[]
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly LanguageModelV4ToolCall[]
  readonly finish: string | undefined
  readonly usage: LanguageModelV4Usage | undefined
  readonly errors: readonly unknown[]
  /** The messages of `errors`. */
  readonly failures: readonly string[]
}

/** Ends what hangs, so that a test fails with what was seen so far. */
const PATIENCE_MS = 30_000

/**
 * Reads one reply of a model to its end, and checks what holds for every stream: blocks are opened
 * and closed, and nothing follows the finish.
 *
 * @param onPart called with every part as it comes
 */
export async function observeReply(
  model: LanguageModel,
  options: LanguageModelV4CallOptions,
  onPart?: (part: StreamPart) => void,
): Promise<Observed> {
  const parts: StreamPart[] = []
  const errors: unknown[] = []
  try {
    const { stream } = await inTime(model.doStream(options), 'doStream')
    const reader = stream.getReader()
    for (
      let read = await inTime(reader.read(), 'the next part');
      !read.done;
      read = await inTime(reader.read(), 'the next part')
    ) {
      parts.push(read.value)
      if (read.value.type === 'error') errors.push(read.value.error)
      onPart?.(read.value)
    }
  } catch (cause) {
    errors.push(cause)
  }
  const disorder = disorderOf(parts)
  if (disorder !== undefined) errors.push(new Error(disorder))
  const finish = parts.find((part) => part.type === 'finish')
  return {
    parts,
    errors,
    text: parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''),
    reasoning: parts.map((part) => (part.type === 'reasoning-delta' ? part.delta : '')).join(''),
    calls: parts.filter((part) => part.type === 'tool-call'),
    finish: finish?.finishReason.unified,
    usage: finish?.usage,
    failures: errors.map(messageIn),
  }
}

/** Waits until `done`, or what it promises, holds; rejects where it does not within 30 seconds. */
export async function until(done: () => unknown): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await done()); await sleep(5)) {
    if (performance.now() > end) throw new Error('what was waited for did not happen')
  }
}

async function inTime<T>(promise: PromiseLike<T>, what: string): Promise<T> {
  const limit = deadline(undefined, PATIENCE_MS, what)
  try {
    return await within(promise, limit.signal)
  } finally {
    limit.clear()
  }
}

function messageIn(error: unknown): string {
  if (typeof error === 'object' && error !== null && !(error instanceof Error))
    return JSON.stringify(error)
  return messageOf(error)
}

function disorderOf(parts: readonly StreamPart[]): string | undefined {
  const end = parts.findIndex(({ type }) => type === 'finish')
  const after = end < 0 ? undefined : parts[end + 1]
  if (after) return `a part follows the finish: ${after.type}`
  const open = new Set<string>()
  for (const part of parts) {
    const problem = misplaced(part, open)
    if (problem !== undefined) return problem
  }
  return end >= 0 && open.size > 0 ? 'a block is still open at the finish' : undefined
}

/** Only what belongs to a block has a place: the other parts may stand anywhere. */
function misplaced(part: StreamPart, open: Set<string>): string | undefined {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start':
      open.add(part.id)
      return undefined
    case 'text-delta':
    case 'reasoning-delta':
      return open.has(part.id) ? undefined : `${part.type} outside of its block`
    case 'text-end':
    case 'reasoning-end':
      return open.delete(part.id) ? undefined : `${part.type} without a start`
    default:
      return undefined
  }
}
