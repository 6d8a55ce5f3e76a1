import { type AgentEvent, type AgentFace } from '@amodal/sdk';
import { type Client, type OutgoingAnswer } from '@amodal/sdk/client';
/** What a person picks up again. */
export interface Opened {
    readonly title: string;
    /** The last thing that was said. */
    readonly last: string | undefined;
    readonly waits: boolean;
}
/** A talk with an agent, in this process or behind a server. Throws `ClientError`. */
export interface Conversation {
    send(text: string, session: string | undefined): AsyncIterable<AgentEvent>;
    /** The run in progress, from its beginning. */
    follow(session: string): AsyncIterable<AgentEvent>;
    answer(session: string, answer: OutgoingAnswer): Promise<void>;
    clear(session: string): Promise<void>;
    /** The sessions that were used last, the newest first. */
    recent(limit: number): Promise<readonly {
        readonly id: string;
        readonly title: string;
    }[]>;
    open(session: string): Promise<Opened>;
}
export declare const remote: (client: Client, signal: AbortSignal) => Conversation;
export declare function local(face: AgentFace, signal: AbortSignal): Conversation;
