import { randomUUID } from 'node:crypto'
import {
  type AgentState,
  type InboxBody,
  type InputAsked,
  type LaneRef,
  openAsks,
  type Placed,
  SYSTEM,
} from '@amodal/sdk'
import { askStore } from '@amodal/sdk/loop'
import { type Answered, answerKey } from './answer.ts'
import type { LoopTurn } from './loop-turn.ts'
import { parentOf } from './parent.ts'
import type { Surround, TurnQueue } from './turn-queue.ts'

/**
 * Gives a sub-agent's parent the answers that it has gone on with. Whoever answered was on the way
 * to do so, and may have died between the two; or the question was settled by itself, or in the
 * sub-agent's own session. Where the parent does not wait for it any more, since it was cancelled
 * and that did not reach the sub-agent, nobody would ever be asked: it ends.
 */
export async function passUp(
  ref: LaneRef,
  { entries, state }: Pick<LoopTurn, 'entries' | 'state'>,
  { settings, clock, owner, ...around }: Surround,
  queue: Pick<TurnQueue, 'claim' | 'control'>,
): Promise<void> {
  const settled = settledIn(entries, state)
  if (settled.length === 0 && state.kind !== 'confirming') return
  const parent = await parentOf(ref, (work) =>
    askStore(settings.storeMs, (signal) => work(around.store(), signal)),
  )
  if (!parent) return
  const send = async (to: LaneRef, key: string, body: InboxBody): Promise<void> => {
    const item = {
      ...to,
      key,
      body: JSON.stringify(body),
      control: true,
      owner,
      leaseMs: settings.leaseMs,
    }
    const asked = clock.monotonic()
    const said = await askStore(settings.storeMs, (signal) => around.store().accept(item, signal))
    if (!said.ok || !said.value.fresh || !said.value.lane) return
    if (said.value.claimed) queue.claim(said.value.lane, asked)
    else queue.control(to, { ...item, n: 0 })
  }
  const open = openAsks(parent.state)
  for (const answer of settled.filter(({ ask }) =>
    open.some(({ id, child }) => id === ask && child === ref.session),
  ))
    await send(parent.ref, answerKey(answer.ask), answer)
  if (state.kind === 'confirming' && !parent.waits)
    await send(ref, randomUUID(), { kind: 'cancel', principal: SYSTEM })
}

/** Questions of a run that nobody waits with any more, each with what it came to. */
function settledIn(entries: readonly Placed[], state: AgentState): readonly Answered[] {
  const open =
    state.kind === 'confirming'
      ? state.asks.filter(({ answered }) => !answered).map(({ id }) => id)
      : []
  return entries
    .filter(
      (entry): entry is Placed<InputAsked> =>
        entry.kind === 'input_asked' && !open.includes(entry.ask),
    )
    .map(({ ask }) => {
      const entry = entries.find((one) => one.kind === 'input_answered' && one.ask === ask)
      // Without an answer the run has ended over it.
      return entry?.kind === 'input_answered'
        ? { kind: 'answer', ask, answer: entry.answer, principal: entry.principal }
        : { kind: 'answer', ask, answer: {}, principal: SYSTEM }
    })
}
