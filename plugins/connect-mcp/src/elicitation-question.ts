import type { AskedQuestion, JsonObject, QuestionDraft } from '@amodal/sdk'
import { ACTION, type Elicitation, type Field } from './elicitation.ts'

/**
 * The question as a person gets it. The call goes on with the answer, which finds its way by the
 * key.
 */
export function questionOf(
  elicitation: Elicitation,
  {
    server,
    tool,
    problems,
    expiresInMs,
    isPrerequisite = false,
  }: {
    readonly server: string
    readonly tool: string
    /** What an earlier answer lacked. */
    readonly problems: readonly string[]
    /** ms; 0: never. */
    readonly expiresInMs: number
    /** The call may be made again only once the person has accepted. */
    readonly isPrerequisite?: boolean
  },
): QuestionDraft {
  const { key, message, fields } = elicitation
  const again = problems.length === 0 ? '' : ` (${problems.join('; ')})`
  const question = `"${server}" asks, for ${tool}: ${message}${again}`
  return {
    type: 'question',
    resumes: true,
    ...(expiresInMs > 0 ? { expiresInMs } : {}),
    schema: {
      type: 'object',
      description: question,
      required: ['answers'],
      additionalProperties: false,
      properties: {
        answers: {
          type: 'object',
          additionalProperties: false,
          properties: {
            ...Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
            [ACTION]: { type: 'string', enum: ['accept', 'decline', 'cancel'] },
          },
        },
      },
    },
    context: {
      question,
      elicitation: key,
      connection_name: server,
      tool,
      ...(isPrerequisite && { prerequisite: true }),
    },
    questions: [
      ...fields.map((field, index): AskedQuestion =>
        asked(field, index === 0 ? `${question}\n\n` : ''),
      ),
      {
        id: ACTION,
        text: fields.length === 0 ? question : `Send this to "${server}"?`,
        type: 'choice',
        options: [
          { label: 'Send', value: 'accept' },
          { label: 'Decline', value: 'decline' },
          { label: 'Cancel', value: 'cancel' },
        ],
      },
    ],
  }
}

const schemaOf = ({ schema, shownDefault: preset }: Field): JsonObject => ({
  ...schema,
  ...(preset !== undefined && { default: preset }),
})

function asked(
  { name, title, type, options, required, shownDefault: preset, schema }: Field,
  before: string,
): AskedQuestion {
  const common = {
    id: name,
    text: `${before}${title}${hintOf(schema)}${required ? '' : ' (optional)'}`,
    required,
    schema,
    ...(preset !== undefined && { default: preset }),
  }
  if (type === 'boolean') return { ...common, type: 'boolean' }
  return options.length === 0
    ? { ...common, type: 'text' }
    : {
        ...common,
        type: type === 'array' ? 'multi' : 'choice',
        options: options.map(({ shown: value, label }) => ({ value, label })),
      }
}

/** Constraints in words, for whoever sees the text alone. */
function hintOf({
  format,
  minLength,
  maxLength,
  minimum,
  maximum,
  minItems,
  maxItems,
  pattern,
}: JsonObject): string {
  const range = (least: unknown, most: unknown, what: string): string | undefined => {
    if (typeof least === 'number' && typeof most === 'number') return `${least} to ${most}${what}`
    if (typeof least === 'number') return `at least ${least}${what}`
    return typeof most === 'number' ? `at most ${most}${what}` : undefined
  }
  const hints = [
    typeof format === 'string' ? FORMAT_WORDS[format] : undefined,
    range(minLength, maxLength === 10_000 ? undefined : maxLength, ' characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, ' of them'),
    typeof pattern === 'string' ? `like ${pattern}` : undefined,
  ].filter((hint) => hint !== undefined)
  return hints.length === 0 ? '' : ` [${hints.join(', ')}]`
}

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  uri: 'an address such as https://example.com',
  date: 'a date such as 2026-07-28',
  'date-time': 'a date and time such as 2026-07-28T12:00:00Z',
}
