import { type RunContext, type ToolDefinition, type ToolList } from '@amodal/sdk';
import { type Constants } from './constants.ts';
import { Corpus } from './corpus.ts';
import { SessionTexts, type Trusted } from './session-texts.ts';
/** What is known of whose words are whose, at the moment of a call. */
export interface Known {
    readonly own: Corpus;
    readonly session: SessionTexts;
    /** What MCP servers say of their tools. */
    readonly described: Corpus;
    /** What the schema of the tool that is called offers. */
    readonly constants: Constants;
}
type Run = Pick<RunContext, 'bundle' | 'messages' | 'delegated'>;
/**
 * Follows whose words a conversation is made of. What it knows hangs on the history and on the agent's files
 * themselves: it goes when they go, and a process that takes a session over reads its history again.
 */
export declare class Taint {
    #private;
    constructor(maxChars: number, trusted?: readonly Trusted[]);
    /** The tools that the model of a run was told of. */
    told(list: ToolList, run: Run): void;
    /** Whether nobody may read what a tool gives. */
    isPrivate(name: string, run: Run): boolean;
    known(run: Run, tool: ToolDefinition): Known;
}
export {};
