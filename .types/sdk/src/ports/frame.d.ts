import type { AgentEvent } from '@amodal/kernel';
/** Where a frame stands: the journal's head when it was sent, the owner's fence, the attempt, and a count within these. */
export interface FrameId {
    readonly seq: number;
    readonly fence: number;
    readonly attempt: number;
    readonly n: number;
}
/** An event as a reader gets it. */
export interface Frame {
    readonly id: FrameId; /** ms since the epoch */
    readonly at: number;
    readonly event: AgentEvent;
}
export declare const frameId: (id: FrameId) => string;
/** Reads a `Last-Event-ID`; anything else than four whole numbers is `undefined`. */
export declare function parseFrameId(text: string): FrameId | undefined;
