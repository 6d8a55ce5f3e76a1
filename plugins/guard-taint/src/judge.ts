import {
  type Json,
  err,
  failure,
  type Failure,
  isObject,
  normalText,
  ok,
  type PreparedCall,
  type Result,
  type RunContext,
  trySync,
} from '@amodal/sdk'
import { textEnd, textStart } from '@amodal/sdk/data'
import { z } from 'zod'
import { deedOf, givenIn, type Given } from './requested/deed.ts'
import type { MadeCall } from './requested/requests.ts'
import type { Origin } from './origin.ts'
import type { Known } from './taint.ts'

const SYSTEM = `You check what an assistant is about to do for a person. You are given what the person wrote, and one action.
Decide whether the person asked for this action: for what it does, to what, and with these values. It counts as asked for in other words, in another language, as a correction of an earlier request, or where it is the plain consequence of what they wrote.
It is not asked for where the person wanted to see or know something only, where they spoke of another thing, another deed or another value, or where it goes further than what they asked, however useful it may be.
Nor is it where they told of what others want or said, where they asked for it under a condition or for later that is not known to be met, where they said not to do it, or where it was done already and they did not ask for it again.
Values shown as ‹…› were left out, and are not to be judged.
Answer with one JSON object and nothing else: {"asked": true or false, "words": "the person's words that ask for it, copied exactly"}`

const Verdict = z.object({ asked: z.boolean(), words: z.string().default('') })
/** A value that is too short to carry an instruction. */
const PLAIN = /^(?:[A-Za-z][A-Za-z_-]{0,24}|-?[\d.,:/TZ +-]{1,40})$/
/** Of what the person wrote, the newest. */
const MOST_CHARS = 8_000
/** Of a value; longer ones are texts. */
const MOST_VALUE = 60
const MOST_VALUES = 40
const MOST_NAME = 200
const LEAST_WORDS = 2
const MOST_TOKENS = 400
const MOST_DONE = 10

/**
 * Asks a model whether the person asked for a call. The model gets the person's own words and the
 * call, but nothing that could carry an injected instruction: no text of the call, and of untrusted
 * content only single words, numbers and dates. It has to quote the words that ask for the call,
 * and the person must have written them.
 *
 * @param why what lists of words do not find asked for; where it leads to a text of a stranger's,
 *   the model is not asked
 * @returns the words that ask for the call; `undefined` where nobody asked for it
 */
export async function judge(
  call: PreparedCall,
  why: readonly Origin[],
  known: Known,
  now: number,
  ask: NonNullable<RunContext['ask']>,
): Promise<Result<string | undefined, Failure>> {
  if (why.some((one) => one.field !== 'call' && one.from !== 'unknown' && !isPlain(one.value)))
    return ok(undefined)
  const { requests } = known.session
  if (requests.isRepeated(call.tool.name, call.args)) return ok(undefined)
  const { name, values } = deedOf(call)
  if (values.length > MOST_VALUES || name.length > MOST_NAME) return ok(undefined)
  const wrote = textEnd(requests.texts().join('\n\n'), MOST_CHARS)
  const done = requests.lastMade(MOST_DONE).map((made) => `- ${doneLine(made, known)}`)
  const parts = [
    `Today is ${dayOf(now)}.`,
    `What the person wrote, oldest first:\n"""\n${wrote}\n"""`,
    ...(done.length > 0 ? [`Done since their last message but one:\n${done.join('\n')}`] : []),
    [
      `The action: ${shownName(name, known)}`,
      ...values.map((one) => `${fieldOf(one)} = ${shown(one, known)}`),
    ].join('\n'),
  ]
  const said = await ask({
    tier: 'explore',
    system: SYSTEM,
    maxOutputTokens: MOST_TOKENS,
    text: parts.join('\n\n'),
  })
  if (!said.ok) return said
  const verdict = read(said.value.text)
  if (!verdict) return err(failure('MODEL_MALFORMED', 'the model that judges gave no verdict'))
  const words = normalText(verdict.words).trim()
  const isQuoted = words.length >= LEAST_WORDS && normalText(wrote).includes(words)
  return ok(verdict.asked && isQuoted ? verdict.words : undefined)
}

/** Names of fields are the model's as well where no schema says which there are. */
const fieldOf = ({ field }: Given): string =>
  /^[\w.[\]-]{1,80}$/.test(field) ? field : '‹a field›'

/** A call that was made, and its arguments. */
function doneLine({ tool, args }: MadeCall, known: Known): string {
  const { name, values } = partsOf(tool, args)
  return `${shownName(textStart(name, MOST_NAME), known)}: ${values
    .slice(0, MOST_VALUES)
    .map((one) => `${fieldOf(one)} = ${shown(one, known)}`)
    .join(', ')}`
}

function partsOf(
  tool: string,
  args: Json,
): { readonly name: string; readonly values: readonly Given[] } {
  const { method = 'GET', endpoint, data = null } = isObject(args) ? args : {}
  return typeof endpoint === 'string' && typeof method === 'string'
    ? { name: `${method.toUpperCase()} ${endpoint}`, values: givenIn(data, 'body', '', 0) }
    : { name: tool, values: givenIn(args, 'args', '', 0) }
}

/** What a call does; of its path, what is a word, a number or nobody else's is shown. */
const shownName = (name: string, known: Known): string =>
  name.replace(/[^\s/]+/g, (part) =>
    isPlain(part) || (part.length <= MOST_VALUE && !isOutside(part, known)) ? part : '‹a value›',
  )

const isOutside = (text: string, { session: { outside }, described }: Known): boolean =>
  outside.find(text) !== undefined || described.find(text) !== undefined

/** Such as `Wednesday, 2026-11-25`. */
function dayOf(now: number): string {
  const date = new Date(now)
  const day = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(date)
  return `${day}, ${date.toISOString().slice(0, 10)}`
}

const isPlain = (value: string | number): boolean => typeof value === 'number' || PLAIN.test(value)

/** A value as the judge may see it: without text that could carry an injected instruction. */
function shown({ value, says }: Given, known: Known): string {
  if (typeof value !== 'string') return String(value)
  if (isPlain(value)) return JSON.stringify(value)
  if (says || value.length > MOST_VALUE) return `‹text of ${value.length} characters›`
  if (isOutside(value, known)) return '‹a value›'
  return JSON.stringify(value)
}

/** The JSON object in the model's reply, with any text around it. */
function read(answer: string): z.output<typeof Verdict> | undefined {
  const json = trySync(
    (): unknown => JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)),
    () => undefined,
  )
  const verdict = json.ok ? Verdict.safeParse(json.value) : undefined
  return verdict?.success === true ? verdict.data : undefined
}
