import { type Json, type JsonObject, type Outgoing, type Secrets, type Withheld } from '@amodal/sdk';
/** Takes out of texts what may not be kept in a file: secrets, what no answer may hold, and what was withheld in this session. */
export declare class Scrubber {
    #private;
    constructor(secrets: Secrets, outgoing: Outgoing | undefined, withheld: readonly Withheld[]);
    readonly text: (text: string) => string;
    value(value: JsonObject): JsonObject;
    value(value: Json): Json;
    /** A text that came in pieces, as pieces of the same sizes: what is split in two is found all the same. */
    pieces(pieces: readonly string[]): readonly string[];
    /** Arguments of a call: JSON, or what a model takes for it. */
    arguments(text: string): string;
}
