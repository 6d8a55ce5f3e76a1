import type { LanguageModel } from '@amodal/sdk';
import type { Scrubber } from './scrubber.ts';
import { type Line } from './tape.ts';
interface RecordOptions {
    readonly scrub: Scrubber;
    /** Calls that failed are kept, too. */
    readonly failures: boolean;
    /** Must not throw. */
    readonly keep: (take: (n: number) => readonly Line[]) => Promise<void>;
}
/**
 * The same model; what it sends is kept, once it is complete, before the reader hears of the end. A call that was stopped
 * is not kept, since nobody knows how it would have gone on.
 */
export declare function recording(model: LanguageModel, { scrub, failures, keep }: RecordOptions): LanguageModel;
export {};
