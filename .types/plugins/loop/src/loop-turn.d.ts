import { type AgentBundle, type AgentHooks, type Amount, type AsideRequest, type CallId, type Code, type Failure, type JournalEntry, type JsonObject, type Message, type ModelCall, type ModelResult, type PreparedCall, type Result, type RunContext, Turn, type TurnParts, type Withheld } from '@amodal/sdk';
import type { CompileCache } from './compile.ts';
import type { History } from './history.ts';
import type { LiveLog } from './live-log.ts';
import type { RuntimeSettings } from './settings.ts';
import type { StoreTime } from './store-time.ts';
/** A call that was parsed, rewritten, frozen and guarded; or why it never runs. */
export type Prepared = {
    readonly kind: 'ready';
    readonly call: PreparedCall;
    readonly argsHash: string;
    readonly toolHash: string;
    readonly actionHash: string;
    readonly needs: 'nothing' | 'confirm' | 'review';
    readonly reasons: readonly string[];
    readonly context: JsonObject;
} | {
    readonly kind: 'refused';
    readonly code: Code;
    readonly message: string;
};
export interface LoopParts extends TurnParts {
    /** Of the turn's generation. */
    readonly hooks: AgentHooks;
    readonly bundle: AgentBundle;
    readonly history: History;
    readonly live: LiveLog;
    readonly settings: RuntimeSettings;
    readonly compile: CompileCache;
    readonly time: StoreTime;
    /** Asks a model beside the conversation. */
    readonly aside: (request: AsideRequest, turn: LoopTurn) => Promise<Result<ModelResult, Failure>>;
}
/** A turn with what the handlers of this loop work with. */
export declare class LoopTurn extends Turn<LoopParts> implements RunContext {
    #private;
    /** How often the conversation was compacted since the model last answered. */
    squeezed: number;
    /** From thinking to streaming. */
    call: ModelCall | undefined;
    /** The same before it was routed and changed, to be made again. */
    asked: ModelCall | undefined;
    /** What was set aside for model calls that are being made. */
    readonly holding: Set<Amount>;
    readonly prepared: Map<CallId, Prepared>;
    /** What was taken out of a result, until its outcome is staged: it goes into the sealed part. */
    readonly withholding: Map<CallId, readonly Withheld[]>;
    /** A tool of this step said that the turn ends here. */
    ends: boolean;
    get hooks(): AgentHooks;
    get bundle(): AgentBundle;
    get messages(): readonly Message[];
    get sessionState(): JsonObject;
    get context(): Readonly<Record<string, string>>;
    get withheld(): readonly Withheld[];
    readonly ask: (request: AsideRequest) => Promise<Result<ModelResult, Failure>>;
    /** Whoever shows texts of this session knows from now on what must not be in them. */
    withhold(call: CallId, values: readonly Withheld[]): void;
    /** What is needed later and nobody may see: arguments, where what is shown differs or a person approves them; what was taken out of a result. */
    sealed(fact: JournalEntry, shown: JournalEntry): string | undefined;
}
