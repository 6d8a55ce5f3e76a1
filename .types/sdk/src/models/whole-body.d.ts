import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { StreamPart } from '../ports/model.ts';
/** One JSON document where a stream of events was asked for: some gateways know no streams. */
export declare class WholeBody extends Error {
    #private;
    readonly name = "WholeBody";
    constructor(text: string);
    /** The body as an answer of its own. */
    response(): Response;
}
export declare const isWholeBody: ({ headers }: Response) => boolean;
/** @returns nothing where the body is longer than any reply */
export declare function wholeText({ body }: Response): Promise<string | undefined>;
/** The body that stands behind an error of a model's package. */
export declare function wholeBodyIn(cause: unknown): WholeBody | undefined;
/** A reply that came in one piece, as the parts of a stream. */
export declare function partsOf({ content, finishReason, usage, warnings, response, providerMetadata }: LanguageModelV4GenerateResult): readonly StreamPart[];
