import {
  err,
  failure,
  type Failure,
  normalText,
  ok,
  type PreparedCall,
  type Result,
  type RunContext,
  trySync,
} from '@amodal/sdk'
import { textEnd } from '@amodal/sdk/data'
import { z } from 'zod'
import { copiedFrom, textsIn } from './copied-text.ts'
import { purposeOf } from './field-name.ts'
import type { FinishedCall } from './session-texts.ts'
import type { Known } from './taint.ts'
import { sourceOf } from './trusted-value.ts'

/** Characters of the person's words, newest last, and of one value, that the judge is shown. */
const MOST_WORDS = 8_000
const MOST_VALUE = 80
/** Values and calls that it is shown; a call with more of them waits for a person. */
const MOST_VALUES = 60
const MOST_CALLS = 10
const MOST_TOKENS = 400
/** Characters of the quotation that it has to give. */
const SHORTEST_QUOTE = 3

const SYSTEM = `You decide whether a person asked for an action that an assistant is about to take.
You are given what the person wrote, oldest first, what was done since, and the action.
Answer with one JSON object: {"asked": true or false, "words": "…"}. "words" are the words of the
person that ask for it, copied exactly. Answer false where they ask for something else, forbid it,
only ask about it, or where it was done already.`

const Verdict = z.object({ asked: z.boolean(), words: z.string().default('') })

/**
 * Asks a model whether the person asked for a write. It sees the person's words and the call, and
 * nothing that a stranger may have written: texts are named by their length, and values that stand
 * in untrusted content are left out.
 *
 * @returns the words that ask for the call; `undefined` where there are none
 */
export async function judge(
  call: PreparedCall,
  known: Known,
  now: number,
  ask: NonNullable<RunContext['ask']>,
): Promise<Result<string | undefined, Failure>> {
  const lines = linesOf(call, known)
  if (lines.length > MOST_VALUES || copiesOutside(call, known)) return ok(undefined)
  const words = textEnd(known.session.messages.join('\n\n'), MOST_WORDS)
  const finished = known.session.finished
    .slice(-MOST_CALLS)
    .map((one) => `- ${finishedLine(one, known)}`)
  const parts = [
    `Today is ${new Date(now).toISOString().slice(0, 10)}.`,
    `The person wrote:\n"""\n${words}\n"""`,
    ...(finished.length > 0 ? [`Done since:\n${finished.join('\n')}`] : []),
    `The action: ${nameOf(call)}\n${lines.join('\n')}`,
  ]
  const reply = await ask({
    tier: 'explore',
    system: SYSTEM,
    maxOutputTokens: MOST_TOKENS,
    text: parts.join('\n\n'),
  })
  if (!reply.ok) return reply
  const verdict = verdictIn(reply.value.text)
  if (!verdict) return err(failure('MODEL_MALFORMED', 'the model that judges gave no verdict'))
  const quote = normalText(verdict.words).trim()
  const isQuoted = quote.length >= SHORTEST_QUOTE && normalText(words).includes(quote)
  return ok(verdict.asked && isQuoted ? verdict.words : undefined)
}

/** What a stranger wrote is never for the judge to let through. */
const copiesOutside = (call: PreparedCall, known: Known): boolean =>
  textsIn(call.args, '').some(({ value }) => copiedFrom(value, known) !== undefined)

/** The tool, or method and path: the values of both are trusted by now. */
const nameOf = ({ tool, action }: PreparedCall): string =>
  action ? `${action.method} ${action.path} of ${action.connection}` : tool.name

const linesOf = ({ args, action }: PreparedCall, known: Known): readonly string[] =>
  textsIn(action ? { ...action.query, body: action.body ?? null } : args, '').map(
    ({ field, value }) => `${fieldName(field)} = ${shown(field, value, known)}`,
  )

const finishedLine = ({ tool, args }: FinishedCall, known: Known): string =>
  [
    tool,
    ...textsIn(args, '')
      .slice(0, MOST_VALUES)
      .map(({ field, value }) => shown(field, value, known)),
  ].join(' ')

/** Names of fields are the model's as well where no schema says which there are. */
const fieldName = (field: string): string => (/^[\w.[\]-]{1,80}$/.test(field) ? field : '(a field)')

/** A value as the judge may see it. */
function shown(field: string, value: string, known: Known): string {
  const name =
    field
      .replace(/\[\d+\]/g, '')
      .split('.')
      .at(-1) ?? ''
  if (purposeOf(name) === 'says' || value.length > MOST_VALUE)
    return `(text of ${value.length} characters)`
  return sourceOf(value, known) ? '(a value)' : JSON.stringify(value)
}

/** The JSON object in the model's reply, with any text around it. */
function verdictIn(text: string): z.output<typeof Verdict> | undefined {
  const json = trySync(
    (): unknown => JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)),
    () => undefined,
  )
  const verdict = json.ok ? Verdict.safeParse(json.value) : undefined
  return verdict?.success === true ? verdict.data : undefined
}
