import { identifierWords, stem, wordsOf } from './words.ts'

/**
 * What somebody wants done, or what a tool does. `act` is anything with an effect that has no
 * common name.
 */
export type Intent = 'read' | 'write' | 'update' | 'delete' | 'act'

const VERBS: Readonly<Record<Intent, string>> = {
  read: 'list show find get display query look search give fetch tell see view check print read lookup count describe summarize summarise load browse inspect',
  write:
    'store save add create insert record write log put register append note remember post upsert',
  update: 'update change set edit modify mark rename move close assign reopen correct',
  delete: 'delete remove drop erase discard',
  act: 'present ask stop dispatch activate request send run start execute call trigger deploy restart notify cancel approve publish pay transfer',
}
const INTENTS: readonly Intent[] = ['delete', 'update', 'write', 'read', 'act']
const BY_VERB: ReadonlyMap<string, Intent> = new Map(
  [...INTENTS]
    .reverse()
    .flatMap((intent) => VERBS[intent].split(' ').map((verb) => [stem(verb), intent] as const)),
)

/** Verbs that name a tool of their own, and still only ask to see something. */
const SHOWING = new Set([stem('present')])

const QUESTION = new Set(
  'what which who whom whose when where why how is are was were do does did has have any'.split(
    ' ',
  ),
)
/** Said before the verb without changing it. */
const COURTESY = new Set(
  (
    'please can could would will you i want wants to d ll like id lets let us now then also just kindly we need should must go ahead ' +
    'hey hi hello ok okay so try yes no thanks thank great good'
  ).split(' '),
)

/**
 * The verb with which a tool's name begins, or a verb of reading anywhere in it; without either,
 * its effect is unknown.
 */
export function toolIntent(name: string): Intent {
  const [first = '', ...rest] = identifierWords(name).map(stem)
  return BY_VERB.get(first) ?? (rest.some((word) => BY_VERB.get(word) === 'read') ? 'read' : 'act')
}

export interface Wish {
  /** `undefined`: neither a question nor a known verb. */
  readonly intent: Intent | undefined
  readonly counts: boolean
  /** Asks for a meaning, a reason or a way: a text answers that better than a tool. */
  readonly explains: boolean
  /** Stems of the words with which the clauses begin. */
  readonly verbs: readonly string[]
  /** Those of them that are known verbs: they name no subject. */
  readonly commands: readonly string[]
}

/**
 * Reads what a message wants from the beginnings of its clauses: only an imperative makes an
 * effect, so that "what is in the store?" never stores.
 */
export function wishOf(text: string): Wish {
  const beginnings = text
    .split(/[.?!;\n]+|,?\s+(?:and\s+)?then\s+/i)
    .map(beginning)
    .filter((word) => word !== '')
  const verbs = beginnings.map(stem)
  const intents = verbs.map((verb) => (SHOWING.has(verb) ? 'read' : BY_VERB.get(verb)))
  const asks = beginnings.some((word) => QUESTION.has(word))
  return {
    intent: INTENTS.find((intent) => intents.includes(intent)) ?? (asks ? 'read' : undefined),
    counts: /\bhow many\b|\bnumber of\b|\bcount\b/i.test(text),
    explains:
      /^\W*(?:why|how (?:do|does|should|shall|can|to|is|are)|explain|define)\b|\bmeans?\b|\bmeaning of\b|\bpolicy\b|\bsupposed to\b/i.test(
        text,
      ),
    verbs,
    commands: verbs.filter((verb) => BY_VERB.has(verb)),
  }
}

function beginning(clause: string): string {
  return wordsOf(clause).find((word) => !COURTESY.has(word)) ?? ''
}
