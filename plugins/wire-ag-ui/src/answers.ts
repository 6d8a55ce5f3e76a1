import {
  askId,
  canonical,
  err,
  failure,
  isObject,
  ok,
  type AskAnswer,
  type Failure,
  type Json,
  type JsonObject,
  type PendingAsk,
  type Result,
  type SequencedEntry,
} from '@amodal/sdk'
import { declinedAnswer } from '@amodal/sdk/wire'
import type { ResumeEntry } from './run-input.ts'

/** What the entries of `resume` come to. */
export interface Resumed {
  readonly answers: readonly AskAnswer[]
  /** A question was given up that has no other way out than to end its run. */
  readonly givesUp: boolean
  /** The first entry of the journal that has one of the answers already: they are sent again. */
  readonly since?: number
}

/**
 * Entries of `resume` as answers. One that was cancelled and is not open any more is no error: it
 * is what a client has to send where a question has expired.
 */
export function resumed(
  entries: readonly ResumeEntry[],
  asks: readonly PendingAsk[],
  journal: readonly SequencedEntry[],
): Result<Resumed, Failure> {
  const answers: AskAnswer[] = []
  const before: number[] = []
  let givesUp = false
  for (const entry of entries) {
    const { interruptId, status, payload } = entry
    const ask = asks.find(({ id }) => id === interruptId)
    if (!ask) {
      const seq = answeredBefore(entry, journal)
      if (seq !== undefined) before.push(seq)
      else if (status === 'resolved')
        return err(failure('ASK_NOT_FOUND', `resume: the interrupt "${interruptId}" is not open`))
      continue
    }
    const answer = status === 'cancelled' ? declinedAnswer(ask.type) : answerOf(ask, payload)
    if (answer) answers.push({ id: askId(ask.id), answer })
    else givesUp = true
  }
  const since = before.length > 0 ? { since: Math.min(...before) } : {}
  return ok({ answers, givesUp, ...since })
}

/** Where the journal has this very answer. */
function answeredBefore(
  { interruptId, status, payload }: ResumeEntry,
  journal: readonly SequencedEntry[],
): number | undefined {
  const asked = journal.find((entry) => entry.kind === 'input_asked' && entry.ask === interruptId)
  const answered = journal.find(
    (entry) => entry.kind === 'input_answered' && entry.ask === interruptId,
  )
  if (asked?.kind !== 'input_asked' || answered?.kind !== 'input_answered') return undefined
  const { schema, ask_type: type } = asked
  const answer = status === 'cancelled' ? declinedAnswer(type) : answerOf({ schema, type }, payload)
  return answer && canonical(answer) === canonical(answered.answer) ? answered.seq : undefined
}

/** A payload fits `responseSchema`; where that has one field, its value alone is enough. */
function answerOf(
  { schema, type }: Pick<PendingAsk, 'schema' | 'type'>,
  payload: Json | undefined,
): JsonObject {
  if (type === 'approval' && typeof payload === 'boolean') return { approved: payload }
  if (type === 'continue_or_finish' && typeof payload === 'string') return { action: payload }
  const { properties } = schema
  const names = isObject(properties) ? Object.keys(properties) : []
  if (isObject(payload) && Object.keys(payload).every((name) => names.includes(name)))
    return payload
  const [only = 'response'] = names
  return payload === undefined ? {} : { [only]: payload }
}
