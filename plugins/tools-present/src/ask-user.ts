import {
  defineTool,
  type AskedQuestion,
  type JsonObject,
  type QuestionOption,
  type ToolDefinition,
} from '@amodal/sdk'
import { z } from 'zod'

const LONGEST_ANSWER = 10_000

const Option = z
  .union([
    z.string().min(1),
    z.object({ label: z.string().min(1), value: z.string().min(1).optional() }),
  ])
  .transform((option): QuestionOption =>
    typeof option === 'string'
      ? { label: option, value: option }
      : { label: option.label, value: option.value ?? option.label },
  )
const Options = z.array(Option).min(1).max(20)
const Type = z.enum(['text', 'boolean', 'choice', 'multi'])

const input = z
  .object({
    question: z.string().min(1).optional().describe('The question, in full'),
    type: Type.optional().describe(
      'text where it is left out, choice where there are options; boolean is a yes or no, multi takes several options',
    ),
    options: Options.optional().describe(
      'Answers to choose from, where they are known: texts, or {label, value}',
    ),
    questions: z
      .array(
        z.object({ text: z.string().min(1), type: Type.optional(), options: Options.optional() }),
      )
      .min(1)
      .max(10)
      .optional()
      .describe(
        'Several questions at once, in place of `question`; the answers come as q1, q2 and so on',
      ),
  })
  .refine(({ question, questions }) => (question === undefined) !== (questions === undefined), {
    path: ['question'],
    message: 'give either `question` or `questions`',
  })

/** Suspends the run until a person has answered; the answer is the result of the call. */
export function askUser(questionSeconds: number): ToolDefinition {
  return defineTool({
    name: 'ask_user',
    description:
      'Asks the person a question, or several at once, and waits for the answer. Use it only when you cannot go on without it.',
    readOnly: true,
    runningLabel: 'Waiting for an answer',
    completedLabel: 'Answered',
    input,
    execute: async ({ question, type, options, questions }) => {
      // The result contains the ids next to the person's answers, so the model does not choose
      // them.
      const asked = (questions ?? [{ text: question ?? '', type, options }]).map((one, at) =>
        askedOf(`q${at + 1}`, one),
      )
      const text = question ?? asked.map((one) => one.text).join('\n')
      return {
        status: 'asks',
        question: {
          type: 'question',
          schema: questions
            ? schemaOfAll(text, asked)
            : { description: text, ...objectOf({ response: schemaOf(asked[0]) }) },
          context: { question: text },
          questions: asked,
          ...(questionSeconds === 0 ? {} : { expiresInMs: questionSeconds * 1_000 }),
        },
      }
    },
  })
}

interface Given {
  readonly text: string
  readonly type?: AskedQuestion['type'] | undefined
  readonly options?: readonly QuestionOption[] | undefined
}

/** A question with options is a choice; a choice requires options. */
function askedOf(id: string, { text, type, options }: Given): AskedQuestion {
  if (options) return { id, text, type: type === 'multi' ? 'multi' : 'choice', options }
  return { id, text, type: type === 'boolean' ? 'boolean' : 'text' }
}

function schemaOf(question: AskedQuestion | undefined): JsonObject {
  const { type = 'text', options = [] } = question ?? {}
  const choice: JsonObject = {
    type: 'string',
    enum: options.map(({ value }) => value),
    oneOf: options.map(({ label, value }) => ({ const: value, title: label })),
  }
  switch (type) {
    case 'text':
      return { type: 'string', maxLength: LONGEST_ANSWER }
    case 'boolean':
      return { type: 'boolean' }
    case 'choice':
      return choice
    case 'multi':
      return { type: 'array', items: choice }
    default:
      return type satisfies never
  }
}

const objectOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const schemaOfAll = (description: string, questions: readonly AskedQuestion[]): JsonObject => ({
  description,
  ...objectOf({
    answers: objectOf(
      Object.fromEntries(questions.map((question) => [question.id, schemaOf(question)])),
    ),
  }),
})
