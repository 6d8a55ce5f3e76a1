/** What a provider takes of the schemas of tools. */
export interface SchemaRules {
  /** For people. */
  readonly provider: string
  readonly name: RegExp
  /** References are written out in place. */
  readonly isInlined: boolean
  /** Left out: every keyword of JSON Schema. */
  readonly keywords?: ReadonlySet<string>
  /** Of texts and numbers; others are described in words. Omitted: all. */
  readonly formats?: ReadonlySet<string>
  /** Values of one `enum`. */
  readonly mostValues: number
}

/**
 * Chat completions, OpenAI's responses and Anthropic's messages: an object with properties, and no
 * choice at its root.
 */
export const commonRules = (provider: string): SchemaRules => ({
  provider,
  name: /^[\w-]{1,64}$/,
  isInlined: false,
  mostValues: 1_000,
})

/** Source: the Gemini API reference, `FunctionDeclaration.parametersJsonSchema`. */
export const GEMINI_RULES: SchemaRules = {
  provider: 'google',
  name: /^[A-Za-z_][\w-]{0,63}$/,
  isInlined: true,
  mostValues: 500,
  keywords: new Set([
    'type',
    'format',
    'title',
    'description',
    'enum',
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'anyOf',
    'properties',
    'additionalProperties',
    'required',
  ]),
  formats: new Set(['date-time', 'date', 'time', 'float', 'double', 'int32', 'int64']),
}
