import type { Caller, Failure, Json, JsonObject, Result, SessionRow, TurnResult } from '@amodal/sdk'
import type { Panels, Question } from './panels.ts'

/** What one member came to, as clients see it. */
export interface MemberAnswer extends JsonObject {
  readonly session_id: string
  readonly title: string
}

interface Asking {
  readonly caller: Caller
  readonly members: readonly SessionRow[]
  readonly question: Question
  /** Members that work at the same time; 1 asks them one after another. */
  readonly parallel: number
  readonly signal: AbortSignal
}

/**
 * Asks members the same question. Each has its message under the same key, so that asking again
 * goes on where it was: who has answered is not asked twice.
 *
 * @param heard called with each answer as it comes
 */
export async function consult(
  panels: Panels,
  { caller, members, question, parallel, signal }: Asking,
  heard: (answer: MemberAnswer) => void,
): Promise<void> {
  const waiting = [...members]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      heard(answerOf(next, await panels.ask(caller, next.session, question, signal)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, members.length) }, work))
}

function answerOf(
  { session, title }: SessionRow,
  asked: Result<TurnResult, Failure>,
): MemberAnswer {
  const member = { session_id: session, title }
  if (!asked.ok) return { ...member, error: shownError(asked.error) }
  const { text, reason, usage, pending, events } = asked.value
  const error = events.findLast((event) => event.type === 'error')
  return {
    ...member,
    response: text,
    ...(reason && { reason }),
    ...(usage && { usage: { ...usage } }),
    ...(pending.length > 0 && { waiting: pending.map(({ id }): Json => id) }),
    ...(reason === 'error' && error && { error: shownError(error) }),
  }
}

const shownError = ({ code, message }: Pick<Failure, 'code' | 'message'>): JsonObject => ({
  code,
  message,
})
