import { type Clock, type Eraser } from '@amodal/sdk';
import type { LineFile } from './line-file.ts';
import type { Sealing } from './sealing.ts';
/** Takes the text of lines away; numbers and hashes stay, and a line of each chain says which they were. */
export declare function auditEraser({ sealing, file, clock }: {
    readonly sealing: Sealing | undefined;
    readonly file: LineFile | undefined;
    readonly clock: Clock;
}): Eraser;
