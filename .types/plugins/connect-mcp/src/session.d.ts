import { type Tool, type Transport } from '@modelcontextprotocol/client';
import { type Acting, type Called, type ToolCall } from './calls.ts';
import { type Failing } from './failing.ts';
export interface SessionOptions {
    readonly acting: Acting;
    /** A fresh one each time. */
    readonly transport: () => Transport;
    /** Servers that end when they are asked for their version get the older handshake, in a process of its own. */
    readonly local: boolean;
    /** Known from last time. */
    readonly legacy: boolean;
    readonly version: string;
    readonly connectMs: number;
    readonly maxTools: number;
    /** ms that a call is held open while a person is asked. */
    readonly holdMs: number;
    /** Whether the server has sent notifications over a stream of its own. */
    readonly streamed: () => boolean;
    /** The list of tools is another one now. */
    readonly changed: () => void;
    /** It is over, and was not closed from here. Told once. */
    readonly lost: (error: Error) => void;
    /** It sends a message for the log. */
    readonly message: (level: string, data: unknown, logger: string | undefined) => void;
    /** Something odd that ends nothing. */
    readonly odd: (error: Error) => void;
}
export interface ListedTools {
    readonly tools: readonly Tool[];
    /** What is wrong with each that could not be read. */
    readonly malformed: readonly string[];
    /** There are more than the most. */
    readonly more: boolean;
}
/** One connection to one server, from its handshake to its end. */
export declare class Session {
    #private;
    private constructor();
    /** Connects, and finds out which protocol is spoken. Throws what kept it from that. */
    static open(options: SessionOptions, signal: AbortSignal): Promise<Session>;
    /** How it wants to be used, in its own words. */
    get instructions(): string;
    /** Nothing can come of it any more. */
    get over(): boolean;
    get legacy(): boolean;
    get protocol(): string | undefined;
    /** All tools, page by page, and how many there were beyond the most. */
    tools(signal: AbortSignal): Promise<ListedTools>;
    /** Makes a call. Throws where the server could not be asked or gave no valid answer. */
    call(call: ToolCall): Promise<Called>;
    /** Gives up the calls of a run that are held open for an answer. */
    release(run: string): void;
    /** How a call that failed stands. */
    failing(cause: unknown, signal: AbortSignal): Failing;
    /** Ends it from here. */
    close(): Promise<void>;
    /** Ends it because it is of no use any more; whoever waits for an answer is told why. */
    fail(error: Error): void;
}
