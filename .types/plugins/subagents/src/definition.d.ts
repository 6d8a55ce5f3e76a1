import type { AgentBundle } from '@amodal/sdk';
/** `explore` where the file names none: tasks that are handed out are bounded work. `default` is the agent's own model. */
export type ModelTier = 'explore' | 'simple' | 'default' | 'advanced';
/** A sub-agent as its file describes it. */
export interface Definition {
    readonly name: string;
    readonly displayName: string;
    readonly description: string;
    readonly prompt: string;
    /** Left out: what its parent may use. */
    readonly tools?: readonly string[];
    /** Levels of sub-agents from here down, itself included: 1 has none. */
    readonly maxDepth: number;
    readonly maxToolCalls: number;
    /** Tokens and dollars of its whole work, its own sub-agents included. Left out: its share of what its parent has left. */
    readonly maxTokens?: number;
    /** Rounds of tools before its answer. */
    readonly maxToolRounds?: number;
    readonly maxCost?: number;
    /** Seconds. */
    readonly timeout: number;
    /** Tokens of its answer. */
    readonly targetOutputMin: number;
    readonly targetOutputMax: number;
    readonly modelTier: ModelTier;
    /** Left out: it comes with the product. */
    readonly file?: string;
}
/** Levels of sub-agents below the agent that people talk to; more are refused. */
export declare const MOST_LEVELS = 3;
/** The name of who does a task that names nobody. */
export declare const TASK = "task";
/** A definition with what its file leaves open; a file that takes the place of one that comes with the product keeps what it does not say. */
export declare function complete(given: Partial<Definition> & Pick<Definition, 'name' | 'prompt'>): Definition;
/** Those of the bundle's folder, and those that come with the product. */
export declare function definitionsOf({ parts }: AgentBundle): ReadonlyMap<string, Definition>;
/** Models write `Compliance Checker` for `compliance-checker`. */
export declare function find(definitions: ReadonlyMap<string, Definition>, name: string): Definition | undefined;
