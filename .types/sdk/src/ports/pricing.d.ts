import { type Usage } from '@amodal/kernel';
import type { AgentBundle } from './bundle.ts';
import type { ModelRef } from './model.ts';
/** Costs are whole numbers of billionths of a dollar, so that sums are exact: a token costs a few hundred of them. */
export declare const NANO = 1000000000;
/** What model calls cost. */
export interface Pricing {
    /** @returns billionths of a dollar, or `undefined` where the model's price is not known */
    price(model: ModelRef, usage: Usage, bundle: AgentBundle): number | undefined;
}
export declare const Pricing: import("@amodal/kernel").Slot<Pricing, "kernel">;
