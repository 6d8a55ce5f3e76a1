import { type AgentState, Compactor, failure, type Step } from '@amodal/sdk'
import type { LoopTurn } from './loop-turn.ts'

/** Replaces old history by a summary. Nothing changes until it commits, so it can be made again. */
export async function compacting(state: Extract<AgentState, { kind: 'compacting' }>, turn: LoopTurn): Promise<Step> {
  const compactor = turn.parts.generation.scope.find(Compactor)
  if (!compactor) return { facts: [], next: turn.done(failure('MODEL_FAILED', 'the conversation is too long for the model, and nothing here can shorten it')) }
  const made = await compactor.compact(turn.parts.history.messages, state.cause, turn)
  if (!made.ok) return { facts: [], next: turn.done(made.error) }
  const { summary, upto, usage } = made.value
  return { facts: [turn.fact({ kind: 'compacted', cause: state.cause, upto, summary, usage })], next: { kind: 'thinking', step: state.step } }
}
