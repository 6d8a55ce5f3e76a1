import { type ModelCall, Pricing, type Spent, type Usage } from '@amodal/sdk'
import { addUsage } from '@amodal/sdk/loop'
import type { LoopTurn } from '../run/loop-turn.ts'

/** The cost of a call at current prices. */
export function spentOn({ config }: ModelCall, usage: Usage, turn: LoopTurn): Spent {
  const cost = turn.parts.generation.scope.find(Pricing)?.price(config, usage, turn.bundle)
  return {
    usage,
    model: { provider: config.provider, model: config.model },
    ...(cost === undefined ? {} : { cost }),
  }
}

/**
 * Counts the usage of a call without a reply entry, as far as the provider reported it. The note is
 * committed with the next entries, since side requests may end at any time.
 */
export function spend(call: ModelCall, usage: Usage, text: string, turn: LoopTurn): void {
  turn.record = { ...turn.record, usage: addUsage(turn.record.usage, usage) }
  if (usage.input + usage.output > 0)
    turn.sideEntries.push(
      turn.newEntry({ kind: 'note', code: 'model_call', text, spent: spentOn(call, usage, turn) }),
    )
}
