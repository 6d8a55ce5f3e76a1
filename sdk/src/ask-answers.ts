import { trySync, type Json } from '@amodal/kernel'
import { parseExact } from './data/exact-number.ts'
import { isList, isObject } from './json.ts'
import { normalText } from './normal.ts'

interface AskedOption {
  readonly label: string
  readonly value: string
}
/** The options of a question; `undefined`: the answer is free text. */
export type AskedChoices = readonly AskedOption[] | undefined

/** The options of the questions of a call of `ask_user`, in their order. */
export function choicesOf(input: unknown): readonly AskedChoices[] {
  if (!isRecord(input)) return []
  const { questions } = input
  return Array.isArray(questions)
    ? questions.map((one: unknown) => optionsOf(one))
    : [optionsOf(input)]
}

/** An answer to one question, and whether it is the person's own word. */
export interface AskedAnswer {
  readonly text: string
  readonly isTheirs: boolean
}

/**
 * The answers in the outcome of such a call, which is a text, or JSON of `response`, or of
 * `answers` by `q1`, `q2` and so on.
 */
export function answersIn(
  outcome: string,
  choices: readonly AskedChoices[],
): readonly AskedAnswer[] {
  const parsed = outcome.startsWith('{')
    ? trySync(
        () => parseExact(outcome) as Json,
        () => undefined,
      )
    : undefined // JSON text
  const { response, answers } = parsed?.ok === true && isObject(parsed.value) ? parsed.value : {}
  if (isObject(answers) && choices.length > 0)
    return choices.flatMap((of, at) => answersOf(answers[`q${at + 1}`], of))
  const isStructured = response !== undefined && typeof response !== 'string'
  return answersOf(isStructured ? response : outcome, choices[0])
}

const answersOf = (answer: Json | undefined, choices: AskedChoices): readonly AskedAnswer[] =>
  (isList(answer) ? answer : [answer]).flatMap((one) =>
    typeof one === 'string' ? [{ text: one, isTheirs: isSeen(one, choices) }] : [],
  )

/**
 * A chosen option counts as the person's own word only if its label shows its value: a label can
 * differ from its value.
 */
const isSeen = (answer: string, choices: AskedChoices): boolean =>
  choices === undefined ||
  choices.some(
    ({ label, value }) => value === answer && normalText(label).includes(normalText(value)),
  )

function optionsOf(question: unknown): AskedChoices {
  const options = isRecord(question) ? question['options'] : undefined
  if (options === undefined) return undefined
  return Array.isArray(options) ? options.flatMap(optionOf) : []
}

/** An option without a value has its label for one. */
function optionOf(option: unknown): readonly AskedOption[] {
  if (typeof option === 'string') return [{ label: option, value: option }]
  const { label, value = label } = isRecord(option) ? option : {}
  return typeof label === 'string' && typeof value === 'string' ? [{ label, value }] : []
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
