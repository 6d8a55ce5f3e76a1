import { never, type JsonObject, type PendingAsk, type SequencedEntry } from '@amodal/kernel'

/** What a question says, as the journal has it, where what guards withhold is left out. */
export function askedContext(
  { id, context }: Pick<PendingAsk, 'id' | 'context'>,
  entries: readonly SequencedEntry[],
): JsonObject {
  const entry = entries.find((one) => one.kind === 'input_asked' && one.ask === id)
  return entry?.kind === 'input_asked' ? entry.context : context
}

/**
 * What somebody means who declines to answer; `undefined`: a question has no answer that says "no
 * answer", and stays open.
 */
export function declinedAnswer(type: PendingAsk['type']): JsonObject | undefined {
  switch (type) {
    case 'approval':
      return { approved: false }
    case 'continue_or_finish':
      return { action: 'finish' }
    case 'question':
      return undefined
    default:
      return never(type)
  }
}
