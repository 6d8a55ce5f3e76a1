import { type AgentEvent, type DoneReason, type Usage } from '@amodal/sdk';
/** What a sub-agent has told so far, and what of it its parent's reader hears. */
export declare class Told {
    #private;
    /** The end of its run. */
    done: {
        readonly reason: DoneReason;
        readonly usage: Usage; /** Billionths of a dollar. */
        readonly cost?: number;
    } | undefined;
    error: {
        readonly code: string;
        readonly message: string;
    } | undefined;
    /** It has asked a person; whether it waits for the answer, its session knows. */
    asked: boolean;
    constructor(call: string, agent: string);
    /** Its last words. */
    get text(): string;
    /** Takes an event of the sub-agent; gives those of its parent. */
    hear(event: AgentEvent): readonly AgentEvent[];
}
