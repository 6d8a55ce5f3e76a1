import { type ModelCall, Pricing, type Spent, type Usage } from '@amodal/sdk'
import { addUsage } from '@amodal/sdk/loop'
import type { LoopTurn } from './loop-turn.ts'

/** What a call came to, by the prices of now. */
export function spentOn({ config }: ModelCall, usage: Usage, turn: LoopTurn): Spent {
  const cost = turn.parts.generation.scope.find(Pricing)?.price(config, usage, turn.bundle)
  return {
    usage,
    model: { provider: config.provider, model: config.model },
    ...(cost === undefined ? {} : { cost }),
  }
}

/**
 * Counts a call that no reply comes of, where the provider has said what it took. It is written
 * with what comes next, and may come at any time: reviews of a run are made while it goes on.
 */
export function spend(call: ModelCall, usage: Usage, text: string, turn: LoopTurn): void {
  turn.record = { ...turn.record, usage: addUsage(turn.record.usage, usage) }
  if (usage.input + usage.output > 0)
    turn.sideEntries.push(
      turn.fact({ kind: 'note', code: 'model_call', text, spent: spentOn(call, usage, turn) }),
    )
}
