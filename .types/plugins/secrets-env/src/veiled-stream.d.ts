import type { StreamPart, StreamTransform } from '@amodal/sdk';
export interface Veiling {
    mask(text: string): string;
    /** Up to where a text that goes on can be masked. */
    settled(text: string): number;
}
/** A reply without secrets, however it is cut into pieces: an end that may be the beginning of one is held back. */
export declare class VeiledStream implements StreamTransform {
    #private;
    constructor(secrets: Veiling);
    push(part: StreamPart): readonly StreamPart[];
    flush(): readonly StreamPart[];
}
