import type { RunEvent } from '../events.ts'
import type { Generation } from '../plugin.ts'
import type { TurnContext } from './context.ts'

/**
 * Events after the taps of `event.emit`, live and on a replay. An event whose tap fails is dropped,
 * except for `done`, which is emitted without its payload.
 */
export function emitted<E extends RunEvent>(
  hooks: Generation['hooks'],
  events: readonly E[],
  ctx: TurnContext,
): readonly E[] {
  const { emit } = hooks.event
  if (!emit.tapped) return events
  return events.flatMap((event): readonly E[] => {
    const result = emit.call(event, ctx)
    if (result.ok) return [result.value as E] // of the same type, which was checked
    return event.type === 'done' && 'reason' in event ? [bare(event)] : []
  })
}

/** A `done` event with its reason only. */
function bare<E extends RunEvent & { readonly reason: unknown }>({ type, reason }: E): E {
  const end: RunEvent & { readonly reason: unknown } = { type, reason }
  return end as E // all that it needs
}
