import type { AgentEvent } from '../events.ts'
import type { Generation } from '../generation.ts'
import type { TurnContext } from './context.ts'

/**
 * Events after their last rewrite, live and on a replay. One that fails is withheld, but `done`
 * always gets out.
 */
export function emitted(
  hooks: Generation['hooks'],
  events: readonly AgentEvent[],
  ctx: TurnContext,
): readonly AgentEvent[] {
  const { emit } = hooks.event
  if (!emit.tapped) return events
  return events.flatMap((event): readonly AgentEvent[] => {
    const said = emit.call(event, ctx)
    if (said.ok) return [said.value]
    return event.type === 'done' ? [{ type: 'done', reason: event.reason }] : []
  })
}
