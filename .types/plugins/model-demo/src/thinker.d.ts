import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Said } from './said.ts';
/** What the demo model answers, and the texts and tools it has read already. */
export declare class Thinker {
    #private;
    /** @param notice one line, said at the beginning of each session */
    constructor(notice: string);
    think(options: LanguageModelV4CallOptions): Said;
}
