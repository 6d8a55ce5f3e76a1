import { type Frame, type FrameCursor, type SendRequest } from '@amodal/sdk';
/** The frames of one reader. Writers never wait for it. */
export declare class FrameQueue implements FrameCursor {
    #private;
    /** Whether the reader asked for events that others are not sent. */
    readonly wantsAll: boolean;
    constructor(events?: SendRequest['events']);
    get ended(): boolean;
    push(frame: Frame): void;
    /** No more frames; what is queued is still read. */
    end(): void;
    close(): void;
    /** Called once when nobody reads any more. */
    onClose(undo: () => void): void;
    take(): readonly Frame[];
    wait(): Promise<boolean>;
    [Symbol.asyncIterator](): AsyncGenerator<Frame, void, undefined>;
}
