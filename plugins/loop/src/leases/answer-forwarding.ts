import { randomUUID } from 'node:crypto'
import {
  type AgentState,
  type InboxBody,
  type InboxItem,
  type InputAsked,
  type SessionRef,
  type SessionRecord,
  type SequencedEntry,
  SYSTEM,
} from '@amodal/sdk'
import { openAsks } from '@amodal/sdk/loop'
import { type AnswerBody, answerKey } from '../client/answer.ts'
import type { LoopTurn } from '../run/loop-turn.ts'
import { parentOf } from './parent.ts'
import { storeCalls, type LoopEnvironment } from './environment.ts'

/** Serves sessions in this process. */
interface SessionServer {
  /** @param requestedAt monotonic ms from before the claim */
  serve(sessionRecord: SessionRecord, requestedAt: number): void
  /** Delivers an accepted control to a session that may be served here. */
  control(ref: SessionRef, item: InboxItem): void
}

/**
 * Forwards the answers of a sub-agent to its parent. The process that stored an answer may have
 * crashed before it reached the parent, and a question may be settled in the sub-agent's session
 * only. If the parent no longer waits, the sub-agent is cancelled, since its question would never
 * be shown.
 */
export async function forwardAnswers(
  ref: SessionRef,
  { entries, state }: Pick<LoopTurn, 'entries' | 'state'>,
  environment: LoopEnvironment,
  server: SessionServer,
): Promise<void> {
  const settled = settledAnswers(entries, state)
  if (settled.length === 0 && state.kind !== 'confirming') return
  const { settings, clock, owner } = environment
  const callStore = storeCalls(environment)
  const parent = await parentOf(ref, callStore)
  if (!parent) return
  const send = async (to: SessionRef, key: string, body: InboxBody): Promise<void> => {
    const item = {
      ...to,
      key,
      body: JSON.stringify(body),
      control: true,
      owner,
      leaseMs: settings.leaseMs,
    }
    const requestedAt = clock.monotonic()
    const accepted = await callStore((store, signal) => store.accept(item, signal))
    if (!accepted.ok || !accepted.value.isNew || !accepted.value.sessionRecord) return
    if (accepted.value.claimed) server.serve(accepted.value.sessionRecord, requestedAt)
    else server.control(to, { ...item, n: 0 })
  }
  const open = openAsks(parent.state)
  for (const answer of settled.filter(({ ask }) =>
    open.some(({ id, child }) => id === ask && child === ref.session),
  ))
    await send(parent.ref, answerKey(answer.ask), answer)
  if (state.kind === 'confirming' && !parent.waits)
    await send(ref, randomUUID(), { kind: 'cancel', principal: SYSTEM })
}

/** The settled questions of a run, each with its answer. */
function settledAnswers(
  entries: readonly SequencedEntry[],
  state: AgentState,
): readonly AnswerBody[] {
  const open =
    state.kind === 'confirming'
      ? state.asks.filter(({ answered }) => !answered).map(({ id }) => id)
      : []
  return entries
    .filter(
      (entry): entry is SequencedEntry<InputAsked> =>
        entry.kind === 'input_asked' && !open.includes(entry.ask),
    )
    .map(({ ask }) => {
      const entry = entries.find((one) => one.kind === 'input_answered' && one.ask === ask)
      // A question without an answer ended with its run.
      return entry?.kind === 'input_answered'
        ? { kind: 'answer', ask, answer: entry.answer, principal: entry.principal }
        : { kind: 'answer', ask, answer: {}, principal: SYSTEM }
    })
}
