import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Json, JsonObject } from '@amodal/kernel'
import { isList, isObject } from '../json.ts'
import type { ToolSchema } from '../ports/model.ts'
import { type FittedSchema, fitSchema } from './fit-schema.ts'
import type { SchemaRules } from './schema-rules.ts'

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>

interface Fitted extends FittedSchema {
  /** The schema with every object closed; nothing where a model cannot be held to it. */
  readonly strict: JsonObject | undefined
}

/**
 * Tools as a provider takes them, made once for each schema: a turn sends the same ones with every
 * call. A tool that cannot be expressed is left out, since one that is refused ends every turn.
 */
export class ToolFitter {
  readonly #rules: SchemaRules
  readonly #isStrict: boolean
  readonly #bySchema = new WeakMap<object, Fitted>()

  /** @param isStrict models are held to the schemas, where those allow it */
  constructor(rules: SchemaRules, isStrict = false) {
    this.#rules = rules
    this.#isStrict = isStrict
  }

  /** A call with its tools as they are taken. */
  call(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
    const { tools, toolChoice, ...rest } = options
    if (!tools || tools.length === 0) return options
    const fitted = tools.flatMap((tool): Tools =>
      tool.type === 'function' ? this.#one(tool) : [tool],
    )
    return fitted.length === 0
      ? rest
      : { ...rest, tools: fitted, ...(toolChoice && { toolChoice }) }
  }

  /** What is lost, in words. */
  problems(tools: readonly ToolSchema[]): readonly string[] {
    const { provider, name: allowed } = this.#rules
    return tools.flatMap((tool) => {
      const of = (problem: string): string =>
        `the tool "${tool.name}" with models of "${provider}": ${problem}`
      if (!allowed.test(tool.name))
        return [of('it is left out, since its name is not one that is taken there')]
      const { schema, strict, problems } = this.#fitted(tool)
      if (!schema)
        return [of('it is left out, since its parameters describe no object'), ...problems.map(of)]
      const loose =
        this.#isStrict && !strict
          ? ['it is not strict, since some of its parameters are optional or open']
          : []
      return [...problems, ...loose].map(of)
    })
  }

  #one(tool: ToolSchema): Tools {
    if (!this.#rules.name.test(tool.name)) return []
    const { schema, strict, hints } = this.#fitted(tool)
    if (!schema) return []
    if (schema === tool.inputSchema && hints.length === 0 && !this.#isStrict) return [tool]
    const description = [tool.description ?? '', ...hints].filter((text) => text !== '').join('\n')
    return [
      {
        ...tool,
        inputSchema: strict ?? schema,
        ...(description !== '' && { description }),
        ...(this.#isStrict && { strict: strict !== undefined }),
      },
    ]
  }

  #fitted({ inputSchema }: ToolSchema): Fitted {
    const known = this.#bySchema.get(inputSchema)
    if (known) return known
    const given = JSON.parse(JSON.stringify(inputSchema)) as JsonObject // JSON Schema is JSON
    const fitted = fitSchema(given, this.#rules)
    const isSame = JSON.stringify(fitted.schema) === JSON.stringify(given)
    const schema = isSame ? (inputSchema as JsonObject) : fitted.schema // the same, as it is sent
    const entry = {
      ...fitted,
      schema,
      strict: this.#isStrict && schema ? closed(schema) : undefined,
    }
    this.#bySchema.set(inputSchema, entry)
    return entry
  }
}

/**
 * The schema with no room for what it does not name, where it leaves nothing open: strict decoding
 * takes no other.
 */
function closed(schema: JsonObject): JsonObject | undefined {
  const fields: Record<string, Json> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue
    const inner = closedField(key, value)
    if (inner === undefined) return undefined
    fields[key] = inner
  }
  if (schema['type'] !== 'object') return fields
  const { properties, required, additionalProperties = false } = schema
  const names = isList(required) ? required : []
  const optional = Object.keys(isObject(properties) ? properties : {}).filter(
    (name) => !names.includes(name),
  )
  return additionalProperties === false && optional.length === 0
    ? { ...fields, additionalProperties: false, required: names }
    : undefined
}

function closedField(key: string, value: Json): Json | undefined {
  switch (key) {
    case 'oneOf':
    case 'allOf':
    case 'not':
    case 'patternProperties':
      return undefined
    case 'properties':
    case '$defs':
    case 'definitions':
      return closedAll(value)
    case 'items':
      return closedOne(value)
    case 'anyOf':
      return closedList(value)
    default:
      return value
  }
}

const closedOne = (value: Json): Json | undefined => (isObject(value) ? closed(value) : value)

function closedList(value: Json): Json | undefined {
  if (!isList(value)) return value
  const all = value.flatMap((one) => closedOne(one) ?? [])
  return all.length === value.length ? all : undefined
}

function closedAll(value: Json): Json | undefined {
  if (!isObject(value)) return value
  const all = Object.entries(value).flatMap(([name, one]) => {
    const inner = one === undefined ? undefined : closedOne(one)
    return inner === undefined ? [] : [[name, inner] as const]
  })
  return all.length === Object.keys(value).length ? Object.fromEntries(all) : undefined
}
