import { type PreparedCall, type RunContext, type ToolResult } from '@amodal/sdk';
/** Whether the journal alone keeps what a call gives, and nobody hears what it says while it runs. */
export declare const isPrivate: ({ tool }: PreparedCall, { bundle }: Pick<RunContext, 'bundle'>) => boolean;
/**
 * The result as it may stand in the conversation. Decided before it is written down, so that it is the same after a
 * restart, in a fork and in a replay.
 */
export declare function persisted(result: ToolResult, call: PreparedCall, ctx: Pick<RunContext, 'bundle'>): {
    readonly result: ToolResult;
    readonly ephemeral: boolean;
};
