import type { Generation } from '@amodal/kernel'
import type { Audience, RuntimeEvent } from '../ports/runtime-event.ts'
import { EventKinds } from '../define-event.ts'
import { HOOKS } from './catalog.ts'

const RUNTIME = { name: 'event.runtime', spec: HOOKS.event.runtime }

/**
 * Notifies watchers of the server of a change. Costs one comparison without watchers.
 * Throws at an event of a plugin's own that no plugin lists.
 *
 * @example
 * announce(
 *   generation(),
 *   { type: 'store_updated', storeName: 'orders', operation: 'put' },
 *   { tenant: tenantId('acme') },
 * )
 */
export function announce(generation: Generation, event: RuntimeEvent, audience: Audience): void {
  const runtime = generation.hook(RUNTIME)
  if (!runtime.tapped) return
  if (event.type.includes('.') && generation.registry(EventKinds).get(event.type)?.in !== 'server')
    throw new TypeError(`no plugin lists the event "${event.type}" under \`events\``)
  runtime.call(event, audience)
}
