/** What a provider takes of the schemas of tools. */
export interface SchemaRules {
    /** For people. */
    readonly provider: string;
    readonly name: RegExp;
    /** References are written out in place. */
    readonly isInlined: boolean;
    /** Left out: every keyword of JSON Schema. */
    readonly keywords?: ReadonlySet<string>;
    /** Of texts and numbers; others are told of in the description. Left out: all. */
    readonly formats?: ReadonlySet<string>;
    /** Values of one `enum`. */
    readonly mostValues: number;
}
/** Chat completions, OpenAI's responses and Anthropic's messages: an object with properties, and no choice at its root. */
export declare const commonRules: (provider: string) => SchemaRules;
/** Source: the Gemini API reference, `FunctionDeclaration.parametersJsonSchema`. */
export declare const GEMINI_RULES: SchemaRules;
