import { type Failure, type Json, type JsonObject, type Lease, type Result } from '@amodal/sdk';
import type { Command } from './launcher.ts';
import { type Ask, type CallContext, type Tell, type ToChild } from './messages.ts';
export interface ProcessLimits {
    /** ms from the start to the loaded handler. */
    readonly startMs: number;
    /** Bytes that one call may write to standard output and error. */
    readonly outputBytes: number;
    /** Bytes of one message. */
    readonly messageBytes: number;
}
/** One call of a handler. */
export interface Job {
    readonly params: JsonObject;
    readonly context: CallContext;
    /** Of the session that it is done for: read in the tick that hands the call over. */
    readonly lease?: Lease;
}
/** Does what a handler asks for. */
export interface Helper {
    ask(what: Ask): Promise<Result<Json, Pick<Failure, 'message'> & {
        readonly code: string;
    }>>;
    tell(what: Tell): void;
}
export type Outcome = {
    readonly kind: 'result';
    readonly value: Json;
} | {
    readonly kind: 'threw';
    readonly message: string;
    readonly code?: string;
} | {
    readonly kind: 'died';
    readonly reason: string;
}
/** The handler has not heard of it: this process may not act for the session any more. */
 | {
    readonly kind: 'lapsed';
};
export type StartMessage = Omit<Extract<ToChild, {
    type: 'start';
}>, 'type'>;
export interface LoadFailure extends Failure {
    readonly file?: string;
    readonly line?: number;
}
/** A process with one handler in it, loaded and warm. It takes one call at a time, and whatever goes wrong in it ends it alone. */
export declare class HandlerProcess {
    #private;
    /** The fields of `defineToolHandler`, where it was asked for them. */
    definition: JsonObject | undefined;
    calls: number;
    private constructor();
    /** Starts a process and loads the handler in it. */
    static start({ file, args, after }: Command, cwd: string, message: StartMessage, limits: ProcessLimits, signal: AbortSignal): Promise<Result<HandlerProcess, LoadFailure>>;
    get dead(): boolean;
    /** Resolves when it is gone. */
    get ended(): Promise<string>;
    /** Runs the handler once. Never rejects; when `signal` aborts, the handler is told, and a moment later it is over. */
    call({ params, context, lease }: Job, helper: Helper, signal: AbortSignal): Promise<Outcome>;
    /** Ends it at once, with all that it has started. */
    kill(why: string): void;
}
