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
 * The answer that stands for declining a question; `undefined`: this type of question cannot be
 * declined, and stays open.
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
