import {
  err,
  failure,
  type Failure,
  hashOf,
  isList,
  type Json,
  type JsonObject,
  ok,
  type Result,
  type TargetMessage,
  type ToolContext,
} from '@amodal/sdk'
import {
  type Elicitation,
  type Field,
  type FieldOption,
  isFieldValue,
  jsonObject,
  LABEL,
  type SentElicitation,
  TEXT,
} from './elicitation.ts'
import { MASKED_LATER, shown, type Mask } from './untrusted.ts'

const HANDLE = /\[redacted:([\w.-]{1,120}):[\da-f]{4,32}\]/g
const ONLY_HANDLE = /^\[redacted:[\w.-]{1,120}:[\da-f]{4,32}\]$/

/** What a field shows of itself beside its values. */
interface Labels {
  readonly name: string
  readonly title: string
  readonly pattern: string
}

/**
 * A question as it may be shown: without what a result of the same call would not show. What cannot
 * be asked without it is an error.
 */
export async function scrubbed(
  sent: SentElicitation,
  scrub: ToolContext['scrub'],
  mask: Mask,
): Promise<Result<Elicitation, Failure>> {
  const before = messageOf(sent, mask)
  const result = await scrub(before)
  if (!result.ok) return result
  const { unread, ...after } = result.value
  const fields: Field[] = []
  for (const [at, field] of sent.fields.entries()) {
    const clean = fieldFrom(field, labelsAt(after, at), after.data)
    if (clean.ok) fields.push(...clean.value)
    else return err(unread ?? clean.error)
  }
  // Without the message a person cannot know what they agree to.
  if (unread && fields.length === 0) return err(unread)
  const whole = { message: shown(after.text, TEXT, MASKED_LATER), fields }
  return ok({
    ...whole,
    key: keyOf(whole),
    isCleaned: unread !== undefined || JSON.stringify(after) !== JSON.stringify(before),
  })
}

const LABELS_OF_FIELD = 3
const labelsAt = ({ labels }: TargetMessage, at: number): Labels => {
  const [name = '', title = '', pattern = ''] = labels.slice(at * LABELS_OF_FIELD)
  return { name, title, pattern }
}

function messageOf({ message, fields }: SentElicitation, mask: Mask): TargetMessage {
  const byName = (of: (field: Field) => Json | undefined): JsonObject =>
    Object.fromEntries(
      fields.flatMap((field) => {
        const value = of(field)
        return value === undefined ? [] : [[field.name, value]]
      }),
    )
  const values = ({ options }: Field, of: (option: FieldOption) => string): Json | undefined =>
    options.length === 0 ? undefined : options.map(of)
  return {
    text: message,
    labels: fields.flatMap(({ name, title, schema }) => [
      shown(name, Infinity, mask),
      title,
      shown(patternOf(schema), Infinity, mask),
    ]),
    data: {
      default: byName((field) => maskedValue(field.default, mask)),
      options: byName((field) => values(field, ({ value }) => shown(value, Infinity, mask))),
      labels: byName((field) => values(field, ({ label }) => label)),
    },
  }
}

const patternOf = ({ pattern }: JsonObject): string => (typeof pattern === 'string' ? pattern : '')

function maskedValue(value: Field['default'], mask: Mask): Json | undefined {
  if (typeof value === 'string') return shown(value, Infinity, mask)
  return isList(value) ? value.map((one) => shown(one, Infinity, mask)) : value
}

/** None where it can be left out; its name is what the server is sent, so it cannot be changed. */
function fieldFrom(
  field: Field,
  { name, title, pattern }: Labels,
  data: JsonObject,
): Result<readonly Field[], Failure> {
  const unaskable = (what: string): Result<readonly Field[], Failure> =>
    err(
      failure(
        'TOOL_FAILED',
        `A question of its server was not asked: ${what} may not be shown, and the answer needs it`,
      ),
    )
  if (name !== field.name) return unaskable('the name of a field')
  const options = optionsFrom(field, data)
  if (field.options.length > 0 && options.length === 0)
    return field.required ? unaskable('what can be chosen from') : ok([])
  const preset = jsonObject(data['default'])[name]
  const { shownDefault: _, ...common } = field
  return ok([
    {
      ...common,
      title: shown(title, LABEL, MASKED_LATER),
      options,
      schema: schemaFrom(field, options, pattern),
      ...(isFieldValue(preset) &&
        typeof preset === typeof field.default && { shownDefault: preset }),
    },
  ])
}

/** Those whose value may be shown, or has a handle that stands for it. */
function optionsFrom({ name, options }: Field, data: JsonObject): readonly FieldOption[] {
  const values = jsonObject(data['options'])[name]
  const labels = jsonObject(data['labels'])[name]
  if (!isList(values) || values.length !== options.length) return []
  return options.flatMap(({ value }, at): readonly FieldOption[] => {
    const instead = values[at]
    const label = isList(labels) ? labels[at] : undefined
    if (typeof instead !== 'string' || (instead !== value && !ONLY_HANDLE.test(instead))) return []
    return [
      {
        value,
        shown: instead,
        label: shown(typeof label === 'string' ? label : instead, LABEL, MASKED_LATER),
      },
    ]
  })
}

/**
 * The schema without what it may not show. Where not all options stand as they are sent, none is
 * asked for here: the answer is compared with them before it is sent.
 */
function schemaFrom(
  { schema, options: sent, type }: Field,
  options: readonly FieldOption[],
  pattern: string,
): JsonObject {
  const left = { ...schema }
  if (pattern !== patternOf(schema)) delete left['pattern']
  const areAll =
    options.length === sent.length && options.every(({ value, shown: result }) => value === result)
  if (areAll) return left
  if (type === 'array') return { ...left, items: { type: 'string' } }
  delete left['enum']
  return left
}

/** Made of what is shown alone; a handle may be another one for the next who asks. */
const keyOf = (question: { readonly message: string; readonly fields: readonly Field[] }): string =>
  hashOf(
    JSON.stringify({
      message: question.message,
      fields: question.fields.map(({ name, title, required, type, schema, options, ...rest }) => ({
        name,
        title,
        required,
        type,
        schema,
        options: options.map(({ shown: result, label }) => [result, label]),
        preset: rest.shownDefault ?? null,
      })),
    }).replaceAll(HANDLE, '[redacted:$1]'),
  )
