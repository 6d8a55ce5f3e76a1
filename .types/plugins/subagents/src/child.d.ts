import { type JsonObject, type RunContext } from '@amodal/sdk';
/** What a sub-agent's session keeps of what it is. */
export interface Child {
    readonly agent: string;
    /** Levels of sub-agents from here down, itself included. */
    readonly left: number;
    readonly maxToolCalls: number;
    /** Names of its tools; left out: all of its parent's. */
    readonly tools?: readonly string[];
    /** The names above it, the first one first. */
    readonly chain: readonly string[];
}
/** As session state: the parent's, with what the child is in place of what the parent is. */
export declare const stateWith: (parent: JsonObject, child: Child) => JsonObject;
/** What a run is, where it is a sub-agent's. */
export declare function childOf({ delegated, sessionState }: Pick<RunContext, 'delegated' | 'sessionState'>): Child | undefined;
