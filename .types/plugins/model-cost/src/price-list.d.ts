import { type AgentBundle, type ModelRef, type Pricing, type Usage } from '@amodal/sdk';
import { type Price } from './prices.ts';
type Table = Readonly<Record<string, Price>>;
/** What calls cost: by the agent's own file, then by configuration, then by what is published. */
export declare class PriceList implements Pricing {
    #private;
    constructor(configured: Table);
    price(model: ModelRef, usage: Usage, bundle: AgentBundle): number | undefined;
    of({ provider, model }: ModelRef, bundle: AgentBundle): Price | undefined;
}
/** Billionths of a dollar. What came from a cache, and what went into one, is part of the input, at a price of its own. */
export declare function costOf({ input, output, cacheRead, cacheWrite }: Price, usage: Usage): number;
export {};
