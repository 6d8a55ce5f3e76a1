import type { Caller, Failure, Json, JsonObject, Result, SessionRow, TurnResult } from '@amodal/sdk'
import type { Panels, Question } from './panels.ts'
import type { MemberAnswer } from './tokens.ts'

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
 * @param onAnswer called with each answer as it comes
 */
export async function consult(
  panels: Panels,
  { caller, members, question, parallel, signal }: Asking,
  onAnswer: (answer: MemberAnswer) => void,
): Promise<void> {
  const waiting = [...members]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      onAnswer(answerOf(next, await panels.ask(caller, next.session, question, signal)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, members.length) }, work))
}

function answerOf(
  { session, title }: SessionRow,
  result: Result<TurnResult, Failure>,
): MemberAnswer {
  const member = { session_id: session, title }
  if (!result.ok) return { ...member, error: shownError(result.error) }
  const { text, reason, usage, pending, events } = result.value
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
