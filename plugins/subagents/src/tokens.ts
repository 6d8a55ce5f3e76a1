import type { AgentBundle } from '@amodal/sdk'
import { definitionsOf, type Definition } from './definition.ts'

export type { Definition as SubagentDefinition, ModelTier } from './definition.ts'

/**
 * The agents of a bundle's `agents/` folder, without those that come with the product.
 *
 * @example
 * agentsOf(bundle).map(({ name }) => name) // ['researcher']
 */
export const agentsOf = (bundle: AgentBundle): readonly Definition[] =>
  [...definitionsOf(bundle).values()].filter(({ file }) => file !== undefined)
