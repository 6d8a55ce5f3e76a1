import { type Generation, type Wired } from '@amodal/kernel';
import { HOOKS } from './catalog.ts';
/** Every hook of the catalogue, to call. */
export interface AgentHooks extends Wired<typeof HOOKS> {
}
/**
 * The whole catalogue of one generation, for who calls its hooks. Make it once per generation and keep it with that.
 *
 * @example
 * const { routes } = hooksOf(generation()).http
 * const called = routes.call(table)
 */
export declare function hooksOf(generation: Generation): AgentHooks;
