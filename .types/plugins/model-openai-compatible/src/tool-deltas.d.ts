import type { StreamPart } from '@amodal/sdk';
/**
 * Puts tool calls together from their pieces. Which piece belongs to which call is decided by the
 * tracker of the AI SDK, which knows the ways in which endpoints number and name them.
 */
export declare class ToolDeltas {
    #private;
    constructor(emit: (part: StreamPart) => void);
    /** Throws `InvalidResponseDataError` on a call that cannot be told from its neighbours or has no name. */
    push(value: unknown): void;
    /** Completes every call; only for a stream that ended well. */
    end(): void;
}
