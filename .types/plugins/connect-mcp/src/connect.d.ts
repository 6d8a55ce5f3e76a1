import { type Failure, type Logger, type Outbound, type Result, type Secrets } from '@amodal/sdk';
import type { Reaper } from './reaper.ts';
import type { ServerSpec } from './server-spec.ts';
import { Session, type SessionOptions } from './session.ts';
export interface Connecting extends Omit<SessionOptions, 'transport' | 'local' | 'streamed' | 'acting'> {
    readonly name: string;
    readonly spec: ServerSpec;
    /** Where commands are run: the agent's folder. */
    readonly cwd: string | undefined;
    readonly secrets: Secrets;
    readonly outbound: Outbound;
    readonly reaper: Reaper;
    readonly maxBytes: number;
    readonly graceMs: number;
    readonly log: Logger;
    /** A line of a child's standard error. */
    readonly said: (line: string) => void;
}
/** Connects to a server. What keeps it from that is a value where it is known beforehand, and thrown otherwise. */
export declare function connect(options: Connecting, signal: AbortSignal): Promise<Result<Session, Failure>>;
