import { type AgentBundle, type Failure, type Logger, type Result } from '@amodal/sdk';
import { Handlers } from './handlers.ts';
import type { ProcessLimits } from './process/handler-process.ts';
import { type Sandbox } from './process/levels.ts';
import type { Proof } from './process/proof.ts';
export interface IsolationOptions {
    /** `required`: code runs only where a proof holds. `none`: somebody has said that it need not. */
    readonly isolation: 'required' | 'wanted' | 'none';
    readonly sandbox: 'auto' | Sandbox;
    readonly network: boolean;
    readonly users: number;
    readonly memoryMb: number;
    readonly path: () => string;
}
/** What handlers are kept apart by on this machine, and the proof of it. */
export declare class Isolation {
    #private;
    readonly handlers: Handlers;
    readonly options: IsolationOptions;
    constructor(options: IsolationOptions, limits: ProcessLimits, log: Logger);
    /** The proof, as far as it is known by now. */
    get known(): Result<Proof, Failure> | undefined;
    /** Refuses code that nothing keeps apart, before any of it runs. */
    admit({ root }: AgentBundle, code: readonly string[]): Promise<void>;
    /** Tries what handlers run in, once; `undefined` root tries no files of an agent. */
    prove(root?: string | undefined): Promise<Result<Proof, Failure>>;
    close(): Promise<void>;
}
