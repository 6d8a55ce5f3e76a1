import { type AgentBundle } from '@amodal/sdk';
import type { Price } from './prices.ts';
/** Beside amodal.json. */
export declare const PRICE_FILE = "prices.json";
/** Reads the agent's own prices. What is wrong with one is named, with its line, and the others count. */
export declare function withPrices(bundle: AgentBundle): Promise<AgentBundle | undefined>;
/** What {@link withPrices} has read. */
export declare function priceFileOf({ parts }: AgentBundle): Readonly<Record<string, Price>>;
