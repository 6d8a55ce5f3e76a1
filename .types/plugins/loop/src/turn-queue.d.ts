import { type AgentBundle, type AgentHooks, type Clock, type Generation, type InboxItem, type InstanceId, type LaneRef, type LaneRow, type Logger, type PrincipalId, type Sealer, type SessionStore, type StateKind } from '@amodal/sdk';
import type { CompileCache } from './compile.ts';
import { LoopTurn } from './loop-turn.ts';
import { LiveLog } from './live-log.ts';
import { Residents } from './residents.ts';
import { type RuntimeSettings } from './settings.ts';
/** What a turn holds on to; a reload waits for `release`. */
export interface Acquired {
    readonly generation: Generation;
    readonly hooks: AgentHooks;
    readonly bundle: AgentBundle;
    readonly release: () => void;
}
/** What the queue needs of the process around it. */
export interface Surround {
    readonly owner: InstanceId;
    readonly clock: Clock;
    readonly settings: RuntimeSettings;
    readonly compile: CompileCache;
    readonly log: Logger;
    store(): SessionStore;
    sealer(): Sealer | undefined;
    /** The generation and bundle that a new turn takes. */
    acquire(roles?: readonly string[]): Acquired;
    /** Exchanges before the newest that the model sees. */
    depth(): number;
    /** The wiring around is taken down: what begins now is for the next one, and maybe for another loop. */
    closing(): boolean;
    /** A session has something new for readers. */
    changed(ref: LaneRef): void;
    /** A run of the session has ended, or waits for a person. */
    persisted(ref: LaneRef, principal: PrincipalId): void;
    /** A run of the session is set aside, before it was known whose it is. */
    troubled(ref: LaneRef): void;
}
/** One turn at a time per session: serves the lanes this process owns and keeps their leases. */
export declare class TurnQueue {
    #private;
    constructor(around: Surround);
    get resident(): Pick<Residents, 'size' | 'bytes' | 'limit'>;
    /** The live log of a session that is driven here. */
    live(ref: LaneRef): LiveLog | undefined;
    owns(ref: LaneRef): boolean;
    runs(): readonly {
        readonly ref: LaneRef;
        readonly turn: LoopTurn;
        readonly state: StateKind;
    }[];
    /** Whether a message may claim its session now, or leaves it to whoever looks for work. */
    get claims(): boolean;
    /** Resolves after the first look for work. @param alone no other process can reach the storage: whoever owned a lane before is lost */
    start(alone: boolean): Promise<void>;
    /** Begins to serve a lane this process has just claimed; `asked`: monotonic ms from before the claim. */
    claim(row: LaneRow, asked: number, first?: {
        readonly item: InboxItem;
        readonly live: LiveLog;
    }): void;
    /** A control was accepted for a lane that may be served here. */
    control(ref: LaneRef, item: InboxItem): void;
    /** Looks into the inbox of a lane served here: another instance may have put a control there. */
    poke(ref: LaneRef): Promise<void>;
    forget(ref: LaneRef): void;
    /** Takes what there is to take, for whoever notices that a question has expired. */
    look(): void;
    /** Waits for runs; those that are left go on elsewhere from their last commit. */
    close(): Promise<void>;
    /** Once it is closed: resolves when what was claimed too late is handed back. The store has to be there until then. */
    handedBack(): Promise<void>;
}
