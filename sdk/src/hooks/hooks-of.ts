import { mapHooks, type Generation, type Wired } from '@amodal/kernel'
import { HOOKS } from './catalog.ts'

/** Every hook of the catalogue, to call. */
export interface AgentHooks extends Wired<typeof HOOKS> {}

/**
 * The whole catalogue of one generation, for who calls its hooks. Make it once per generation and
 * keep it with that.
 *
 * @example
 * const { routes } = hooksOf(generation()).http
 * const called = routes.call(table)
 */
export function hooksOf(generation: Generation): AgentHooks {
  // Made from the very table that the type is made from.
  return mapHooks(HOOKS, (hook) => generation.hook(hook)) as unknown as AgentHooks
}
