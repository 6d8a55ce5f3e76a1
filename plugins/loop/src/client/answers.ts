import {
  type AsyncResult,
  ApprovalPolicy,
  type AskAnswer,
  type AskId,
  err,
  failure,
  type Failure,
  type SessionRecord,
  type StoredState,
  ok,
  type PendingAsk,
  type Result,
  type SessionId,
  stateOf,
} from '@amodal/sdk'
import { openAsks } from '@amodal/sdk/loop'
import { type AnswerBody, answerKey, checkAnswer, storedAnswer } from './answer.ts'
import type { InboxWriter } from './inbox-writer.ts'
import type { RunningAgent } from '../running-agent.ts'
import type { SessionAccess } from './session-access.ts'

/** The stored answer to a question; `isFromRequest`: this request has stored it. */
interface StoredAnswer {
  readonly body: AnswerBody
  readonly isFromRequest: boolean
}

interface CheckedAnswer {
  readonly ask: PendingAsk
  readonly body: AnswerBody
}

/** Answers to the open questions of parked runs. */
export class Answers {
  readonly #runtime: RunningAgent
  readonly #access: SessionAccess
  readonly #inbox: InboxWriter

  constructor(runtime: RunningAgent, access: SessionAccess, inbox: InboxWriter) {
    this.#runtime = runtime
    this.#access = access
    this.#inbox = inbox
  }

  /** All answers are checked before the first one is stored. */
  async give(
    session: SessionId,
    answers: readonly AskAnswer[],
    signal: AbortSignal | undefined,
  ): AsyncResult<{ readonly settled: readonly AskId[] }> {
    const sessionRecord = await this.#access.sessionRecord(session, signal)
    if (!sessionRecord.ok) return sessionRecord
    const state = stateOf(sessionRecord.value)
    const checkedAnswers: CheckedAnswer[] = []
    for (const answer of answers) {
      const checked = this.#check(answer, sessionRecord.value, state)
      if (!checked.ok) return checked
      checkedAnswers.push(checked.value)
    }
    const settled: AskId[] = []
    const settledBefore: AskId[] = []
    for (const { ask, body } of checkedAnswers) {
      const stored = await this.#storeAnswer(session, ask, body, signal)
      if (!stored.ok) return stored
      if (stored.value.isFromRequest) settled.push(ask.id)
      else settledBefore.push(ask.id)
    }
    return settledBefore.length > 0
      ? err(settledBeforeFailure(settledBefore, settled))
      : ok({ settled })
  }

  /** Settles expired questions now, instead of at the next sweep. */
  settleExpired(sessionRecord: SessionRecord): void {
    if (openAsks(stateOf(sessionRecord)).some((ask) => hasExpired(ask, sessionRecord)))
      this.#runtime.ownedSessions.searchWork()
  }

  #check(
    { id, answer }: AskAnswer,
    sessionRecord: SessionRecord,
    state: StoredState,
  ): Result<CheckedAnswer, Failure> {
    const ask = openAsks(state).find((one) => one.id === id)
    if (!ask) return err(failure('ASK_NOT_FOUND', `the question "${id}" is not open`))
    if (hasExpired(ask, sessionRecord)) {
      this.settleExpired(sessionRecord)
      return err(expired(id))
    }
    const { principal, roles } = this.#access
    const may = this.#runtime
      .generation()
      .scope.find(ApprovalPolicy)
      ?.mayAnswer(ask, {
        principal,
        roles,
        asker: state.kind === 'run' ? state.record.principal : principal,
      })
    if (may && !may.ok) return may
    const fits = checkAnswer(ask, answer)
    return fits.ok
      ? ok({ ask, body: { kind: 'answer', ask: id, answer, principal } })
      : err(
          failure('ANSWER_INVALID', fits.error, {
            details: { pending_input_schema: ask.schema },
          }),
        )
  }

  /**
   * Stores an answer. The first stored one counts, and everyone who acts on the answer reads it
   * from the store. A sub-agent's question is answered in its own session first, and the parent is
   * given the answer that is stored there.
   */
  async #storeAnswer(
    session: SessionId,
    { id, child, expires_at: expiresAt }: PendingAsk,
    answer: AnswerBody,
    signal: AbortSignal | undefined,
  ): AsyncResult<StoredAnswer> {
    const inner = child && (await this.#storedByChild(child, id, answer, signal))
    if (inner?.ok === false) return inner
    // A parent accepts an answer that its sub-agent has stored, even after the question expired.
    const accepted = await this.#inbox.control(
      session,
      {
        key: answerKey(id),
        body: inner?.value.body ?? answer,
        ...(child === undefined && expiresAt !== undefined ? { expiresAt } : {}),
      },
      signal,
    )
    if (!accepted.ok) return accepted
    if (accepted.value === 'late') return err(expired(id))
    return ok(inner?.value ?? { body: answer, isFromRequest: accepted.value === 'accepted' })
  }

  async #storedByChild(
    child: SessionId,
    id: AskId,
    answer: AnswerBody,
    signal: AbortSignal | undefined,
  ): AsyncResult<StoredAnswer> {
    const sessionRecord = await this.#access.sessionRecord(child, signal)
    if (!sessionRecord.ok)
      return sessionRecord.error.code === 'SESSION_NOT_FOUND'
        ? ok({ body: answer, isFromRequest: false })
        : sessionRecord
    const ask = openAsks(stateOf(sessionRecord.value)).find((one) => one.id === id)
    const stored = ask && (await this.#storeAnswer(child, ask, answer, signal))
    if (stored && (!stored.ok || stored.value.isFromRequest)) return stored
    // The stored answer is in its inbox, or in its journal once the run has used it.
    const earlier = await this.#access.callStore(signal, (store, storeSignal) =>
      storedAnswer(store, this.#access.ref(child), id, storeSignal),
    )
    return earlier.ok ? ok({ body: earlier.value ?? answer, isFromRequest: false }) : earlier
  }
}

const hasExpired = (
  { expires_at: at = Infinity }: PendingAsk,
  { at: now }: SessionRecord,
): boolean => at <= now
const expired = (id: AskId): Failure => failure('ASK_EXPIRED', `the question "${id}" has expired`)

function settledBeforeFailure(settledBefore: readonly AskId[], settled: readonly AskId[]): Failure {
  const counting = settled.length > 0 ? `; these answers count: ${settled.join(', ')}` : ''
  return failure('ASK_SETTLED', `answered before: ${settledBefore.join(', ')}${counting}`, {
    details: { settled },
  })
}
