import { type AgentState, Compactor, failure, type Step } from '@amodal/sdk'
import type { LoopTurn } from './loop-turn.ts'

/** The most compactions of one step, to end a loop of a compactor that frees too little. */
const MOST_TRIES = 4

/** Replaces old history by a summary. Nothing changes before the commit, so it can be repeated. */
export async function compacting(
  state: Extract<AgentState, { kind: 'compacting' }>,
  turn: LoopTurn,
): Promise<Step> {
  const { generation, history } = turn.parts
  const stop = (message: string): Step => ({
    entries: [],
    next: turn.done(failure('CONTEXT_OVERFLOW', message)),
  })
  const compactor = generation.scope.find(Compactor)
  if (!compactor)
    return stop('the conversation is too long for the model, and nothing here can shorten it')
  if (turn.compactions >= MOST_TRIES)
    return stop(
      `the conversation is still too long for the model after it was shortened ${MOST_TRIES} times`,
    )
  const compaction = await compactor.compact(state.cause, turn.compactions++, turn)
  const next = { kind: 'thinking', step: state.step } as const
  if (turn.stopped) return { entries: [], next }
  if (!compaction.ok) return { entries: [], next: turn.done(compaction.error) }
  if (!compaction.value) return { entries: [], next }
  const { summary, keep, usage, before, after } = compaction.value
  return {
    entries: [
      turn.newEntry({
        kind: 'compacted',
        cause: state.cause,
        upto: history.uptoOf(keep),
        summary,
        summary_tokens: usage.output,
        tokens_before: before,
        tokens_after: after,
      }),
    ],
    next,
  }
}
