import { slot, type Usage } from '@amodal/kernel'
import type { AgentBundle } from './bundle.ts'
import type { ModelRef } from './model.ts'

/**
 * Costs are whole numbers of billionths of a dollar, so that sums are exact: a token costs a few
 * hundred of them.
 */
export const NANO = 1_000_000_000

/** What model calls cost. */
export interface Pricing {
  /** @returns billionths of a dollar, or `undefined` where the model's price is not known */
  price(model: ModelRef, usage: Usage, bundle: AgentBundle): number | undefined
}

export const Pricing = slot.kernel<Pricing>('pricing')
