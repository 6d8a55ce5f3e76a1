import type { CompiledPrompt, PromptSection, ToolList } from '@amodal/sdk';
type Category = PromptSection['category'] | 'tool';
export interface BudgetPart {
    readonly name: string;
    readonly tokens: number;
    readonly file?: string; /** Not of a tool. */
    readonly plugin?: string;
}
export interface BudgetRow {
    readonly category: Category;
    readonly label: string;
    readonly tokens: number;
    readonly parts: readonly BudgetPart[];
}
/** Where the tokens of a context window go before the first message. Estimates, see {@link estimateTokens}. */
export interface Budget {
    readonly window: number;
    readonly rows: readonly BudgetRow[];
    /** Sum of the rows. */
    readonly total: number;
    /** Left for the conversation; negative where the context alone is too long. */
    readonly available: number;
}
/** A section as it stands in the prompt. */
export declare function sectionText({ title, body }: PromptSection): string;
export declare function sectionTokens(section: PromptSection): number;
/** The budget of what the model is sent: the sections of the prompt, and the tools, which go with every call. */
export declare function budgetOf(prompt: CompiledPrompt, { tools }: Pick<ToolList, 'tools'>): Budget;
export {};
