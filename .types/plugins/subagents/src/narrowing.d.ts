import type { Message, PromptDraft, ToolList } from '@amodal/sdk';
import type { Child } from './child.ts';
import type { Definition } from './definition.ts';
/** What a sub-agent has of the tools of the agent: one list for equal input, so that its prompt stays the same. */
export declare class Narrowing {
    #private;
    tools(list: ToolList, { tools: names, left }: Child): ToolList;
    /** Its own prompt in place of the agent's instructions and skills; knowledge, connections and stores stay as they are. */
    prompt(draft: PromptDraft, definition: Definition): PromptDraft;
}
/** Counts the calls of a conversation, those too that a summary has taken the place of since. */
export declare class CallCount {
    #private;
    /** The how-manieth of its conversation a call is, from 1. */
    of(call: string, messages: readonly Message[]): number;
}
