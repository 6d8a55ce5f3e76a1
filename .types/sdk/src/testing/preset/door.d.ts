import { type AgentEvent } from '@amodal/kernel';
import type { Agent } from '../../ports/agent.ts';
/** What one turn came to. */
export interface Turn {
    readonly session: string;
    readonly text: string;
    readonly events: readonly AgentEvent[];
    /** `undefined`: it waits for a person. */
    readonly reason: string | undefined;
    readonly pending: readonly {
        readonly id: string;
    }[];
}
/** A way to talk to an agent. Refusals are thrown as errors with a `code`. */
export interface Door {
    ask(text: string, session?: string, key?: string): Promise<Turn>;
    /** As they come; leaving early cancels nothing. */
    stream(text: string, session?: string): AsyncIterable<AgentEvent>;
    /** The run in progress, from its beginning. */
    follow(session: string): AsyncIterable<AgentEvent>;
    answer(session: string, id: string, response: string): Promise<void>;
    cancel(session: string): Promise<boolean>;
    clear(session: string): Promise<void>;
    /** @returns the new session */
    fork(session: string): Promise<string>;
    open(session: string): Promise<{
        readonly title: string;
        readonly pending: number;
    }>;
    list(): Promise<readonly string[]>;
    remove(session: string): Promise<void>;
}
/** In this process. */
export declare function agentDoor(agent: Agent): Door;
/** Over HTTP. */
export declare function httpDoor(url: string, credential: string | undefined): Door;
