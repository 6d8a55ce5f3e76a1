import type { PreparedCall } from '@amodal/sdk';
import { type Origin } from './origin.ts';
import type { Known } from './taint.ts';
/** Whether anything of this conversation is somebody else's. */
export declare const isTainted: ({ session, described }: Known) => boolean;
/** Values that decide what a call does and that nobody who may decide has said. */
export declare function originsOf(call: PreparedCall, known: Known): readonly Origin[];
