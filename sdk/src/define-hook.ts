import type { HookSpec, HookToken } from '@amodal/kernel'

/**
 * Publishes a hook of a plugin's own. Others tap it with `k.tap(token, fn)`; the owner calls it with
 * `k.generation().hook(token).call(…)`. Attribution, deadlines and `inspect` are those of the catalogue.
 *
 * @example
 * export const TriggerFired = defineHook('automations.fired', parallel<[name: string]>({ onError: 'skip', timeoutMs: 5_000 }))
 */
export function defineHook<S extends HookSpec>(name: string, spec: S): HookToken<S> {
  return Object.freeze({ name, spec })
}
