import { type Generation, type Result } from '@amodal/sdk';
/** The first provider whose key is set when the agent runs. */
export declare const AUTO = "auto";
/** A provider that an agent can begin with. */
export interface Starter {
    readonly name: string;
    readonly model: string;
    /** The variable of its key. */
    readonly variable: string;
    readonly keySet: boolean;
}
/** Providers that need no more than a key. */
export declare function startersOf(generation: Generation): readonly Starter[];
/** The one of that name; `undefined` for {@link AUTO}. */
export declare function chosenOf(name: string, starters: readonly Starter[]): Result<Starter | undefined, string>;
