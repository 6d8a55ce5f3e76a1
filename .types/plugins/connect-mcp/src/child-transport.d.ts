import { type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { Reaper } from './reaper.ts';
export interface ChildOptions {
    readonly command: string;
    readonly args: readonly string[];
    /** All that the child gets of any environment. */
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string | undefined;
    /** Bytes of one message. */
    readonly maxBytes: number;
    /** ms from the end of its input to `SIGTERM`, and from there to `SIGKILL`. */
    readonly graceMs: number;
    readonly reaper: Reaper;
    /** Whether a call may still be made: asked in the tick that writes it. */
    readonly mayCall: () => boolean;
    /** A line of its standard error. */
    readonly said: (line: string) => void;
}
/**
 * An MCP server as a child process: one message a line. The child leads a process group of its own, so that what it
 * starts, such as the server behind `npx`, ends with it. Lines that are no message are skipped.
 */
export declare class ChildTransport implements Transport {
    #private;
    onclose?: () => void;
    onerror?: (error: Error) => void;
    onmessage?: (message: JSONRPCMessage) => void;
    /** With `pid`, what the client knows a local pipe by. */
    readonly stderr: null;
    constructor(options: ChildOptions);
    get pid(): number | null;
    start(): Promise<void>;
    send(message: JSONRPCMessage): Promise<void>;
    /** Ends its input; whoever does not leave then is told to, and in the end made to. */
    close(): Promise<void>;
}
