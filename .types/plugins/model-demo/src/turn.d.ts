import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { type Field } from './schema.ts';
import { type Intent } from './intent.ts';
export interface Tool {
    readonly name: string;
    readonly description: string;
    readonly intent: Intent;
    /** The words of its name, as stems. */
    readonly named: ReadonlySet<string>;
    readonly fields: readonly Field[];
}
/** What came of a call of this turn. */
export interface Outcome {
    readonly tool: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly failed: boolean;
    readonly value: unknown;
}
/** A prompt, as far as the demo model looks at it. */
export interface Turn {
    /** Nothing has been answered yet in this session. */
    readonly first: boolean;
    readonly system: string;
    /** What the person says now. */
    readonly text: string;
    /** What the person said before, each with the answer to it, oldest first. */
    readonly before: readonly {
        readonly text: string;
        readonly answer: string;
    }[];
    readonly outcomes: readonly Outcome[];
    readonly hasImage: boolean;
}
export declare function readTurn(prompt: LanguageModelV4Prompt): Turn;
export declare function readTool(tool: LanguageModelV4FunctionTool): Tool;
