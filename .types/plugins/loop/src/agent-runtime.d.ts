import { type Agent, type AgentBundle, type AgentEvent, type AgentFace, type AgentHooks, type Audience, type BundleFailure, type Caller, type Clock, type Failure, type Generation, type LaneRef, type Logger, type ModelStatus, type Placed, type Result, type RuntimeEvent, SessionStore } from '@amodal/sdk';
import { CompileCache } from './compile.ts';
import { News, type ReaderParts } from './reader.ts';
import type { RuntimeSettings } from './settings.ts';
import { type Acquired, TurnQueue } from './turn-queue.ts';
/** The running agent over all generations: its bundle, its turns, its readers. */
export declare class AgentRuntime implements Agent, ReaderParts {
    #private;
    readonly settings: RuntimeSettings;
    readonly clock: Clock;
    readonly owner: import("@amodal/sdk").InstanceId;
    readonly queue: TurnQueue;
    readonly compile: CompileCache;
    readonly news_: News;
    readonly generation: () => Generation;
    constructor(settings: RuntimeSettings, clock: Clock, log: Logger, generation: () => Generation);
    get closed(): boolean;
    /** Why nothing can be asked of it now. */
    get unavailable(): Failure | undefined;
    /** Loads the agent's files, then begins to serve: what a crash left is picked up in the background. */
    start(): Promise<Result<void, BundleFailure>>;
    /** Takes no more work, and resolves once all of it has ended or is left to others; the same for whoever asks later. */
    close(): Promise<void>;
    as(who: Caller): AgentFace;
    bundle(): AgentBundle | undefined;
    reloadBundle(signal?: AbortSignal): Promise<Result<AgentBundle, BundleFailure>>;
    compiled(signal?: AbortSignal, roles?: readonly string[], who?: Caller): ReturnType<Agent['compiled']>;
    models(): readonly ModelStatus[];
    status(): ReturnType<Agent['status']>;
    runs(): ReturnType<Agent['runs']>;
    /** The agent's name. */
    get app(): string;
    /** Tells whoever watches the server of a change. */
    announce(event: RuntimeEvent, audience: Audience): void;
    store(): SessionStore;
    /** @param roles whose view of the agent's files it is; left out: all of them */
    acquire(roles?: readonly string[]): Acquired;
    hooks(generation?: Generation): AgentHooks;
    live(ref: LaneRef): ReturnType<TurnQueue['live']>;
    news(ref: LaneRef, ms: number, signal: AbortSignal): Promise<void>;
    shown(ref: LaneRef, entry: Placed): readonly AgentEvent[];
}
/** An agent without files: it has no name and knows nothing, and still answers. */
export declare const EMPTY_BUNDLE: AgentBundle;
