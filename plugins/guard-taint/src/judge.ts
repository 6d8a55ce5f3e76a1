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
import { z } from 'zod'
import { deedOf, type Given } from './asked/deed.ts'
import type { Origin } from './origin.ts'
import type { Known } from './taint.ts'

const SYSTEM = `You check what an assistant is about to do for a person. You are given what the person wrote, and one action.
Decide whether the person asked for this action: for what it does, to what, and with these values. It counts as asked for in other words, in another language, as a correction of an earlier request, or where it is the plain consequence of what they wrote.
It is not asked for where the person wanted to see or know something only, where they spoke of another thing, another deed or another value, or where it goes further than what they asked, however useful it may be.
Values shown as ‹…› were left out, and are not to be judged.
Answer with one JSON object and nothing else: {"asked": true or false, "words": "the person's words that ask for it, copied exactly"}`

const Verdict = z.object({ asked: z.boolean(), words: z.string().default('') })
/** Of what the person wrote, the newest. */
const MOST_CHARS = 8_000
/** Of a value; longer ones are texts. */
const MOST_VALUE = 60
const MOST_VALUES = 40
const MOST_NAME = 200
const LEAST_WORDS = 2
const MOST_TOKENS = 400

/**
 * Asks a model whether the person asked for a call that the lists of words do not know. The model
 * is given the person's own words and the call, and nothing that a stranger has written: no text of
 * the call, and no value that stands in what came from outside. It has to quote the words that ask,
 * and they have to stand in what the person wrote.
 *
 * @param why what the words do not tell; where it leads to a stranger's text, nothing is asked
 * @returns the words that ask for the call; `undefined` where nobody asked for it
 */
export async function judge(
  call: PreparedCall,
  why: readonly Origin[],
  known: Known,
  ask: NonNullable<RunContext['ask']>,
): Promise<Result<string | undefined, Failure>> {
  if (why.some(({ field, from }) => field !== 'call' && from !== 'unknown')) return ok(undefined)
  const wrote = known.session.requests.texts().join('\n\n').slice(-MOST_CHARS)
  const { name, values } = deedOf(call)
  if (values.length > MOST_VALUES || name.length > MOST_NAME) return ok(undefined)
  const given = values.map((one) => `${fieldOf(one)} = ${shown(one, known)}`)
  const said = await ask({
    tier: 'explore',
    system: SYSTEM,
    maxOutputTokens: MOST_TOKENS,
    text: `What the person wrote:\n"""\n${wrote}\n"""\n\nThe action: ${name}\n${given.join('\n')}`,
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

/** A value as the judge may see it: nothing by which a stranger could speak to it. */
function shown({ value, says }: Given, { session: { outside }, described }: Known): string {
  if (typeof value !== 'string') return String(value)
  if (says || value.length > MOST_VALUE) return `‹text of ${value.length} characters›`
  if (outside.find(value) || described.find(value)) return '‹a value›'
  return JSON.stringify(value)
}

/** The object in an answer, whatever stands around it. */
function read(answer: string): z.output<typeof Verdict> | undefined {
  const json = trySync(
    (): unknown => JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)),
    () => undefined,
  )
  const verdict = json.ok ? Verdict.safeParse(json.value) : undefined
  return verdict?.success === true ? verdict.data : undefined
}
