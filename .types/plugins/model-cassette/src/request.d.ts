import { type JsonObject, type ModelCall } from '@amodal/sdk';
import type { Scrubber } from './scrubber.ts';
/** One message as it is compared, and as much of it as people read. */
export interface AskedMessage {
    readonly role: string;
    readonly sha: string;
    readonly text: string;
}
/** What is kept of a request: enough to find it again, and to say what another one has that it has not. */
export interface Asked {
    readonly provider: string;
    readonly model: string;
    readonly toolChoice: string;
    readonly settings: JsonObject;
    readonly system: {
        readonly sha: string;
        readonly text: string;
    };
    /** Hashes by name. */
    readonly tools: Readonly<Record<string, string>>;
    readonly messages: readonly AskedMessage[];
}
/**
 * A request as it counts: provider, model, the prompt, tools, choice of tools and settings. Addresses, credentials,
 * headers and options for one provider (cache marks) do not; ids of calls count by their order alone.
 *
 * @param ignore what differs from run to run
 */
export declare function askedOf(call: ModelCall, scrub: Scrubber, ignore: readonly RegExp[]): Asked;
/** Equal requests have the same; texts that are shown do not count, their hashes do. */
export declare const keyOf: ({ system, messages, ...rest }: Asked) => string;
