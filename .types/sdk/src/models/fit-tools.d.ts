import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ToolSchema } from '../ports/model.ts';
import type { SchemaRules } from './schema-rules.ts';
/**
 * Tools as a provider takes them, made once for each schema: a turn sends the same ones with every call. A tool that
 * cannot be expressed is left out, since one that is refused ends every turn.
 */
export declare class ToolFitter {
    #private;
    /** @param isStrict models are held to the schemas, where those allow it */
    constructor(rules: SchemaRules, isStrict?: boolean);
    /** A call with its tools as they are taken. */
    call(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions;
    /** What is lost, in words. */
    problems(tools: readonly ToolSchema[]): readonly string[];
}
