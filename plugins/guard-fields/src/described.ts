import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { isExact } from '@amodal/sdk/data'
import type { Found } from './fields.ts'
import type { Mentions } from './mentions.ts'
import { plainName, wordsOf } from './names.ts'

/** Fields that say which field an object is about, by their last word. */
const NAMING: ReadonlySet<string> = new Set([
  'name',
  'key',
  'field',
  'label',
  'column',
  'property',
  'prop',
  'attribute',
  'attr',
  'path',
  'param',
  'parameter',
  'header',
  'term',
  'dimension',
  'metric',
  'fact',
  'trait',
  'question',
  'pointer',
  'selector',
  'variable',
  'var',
  'k',
  'n',
  'slot',
  'q',
  'caption',
  'heading',
  'fieldname',
  'dt',
  'th',
])
/** Fields that hold what is said of it. */
const VALUES: ReadonlySet<string> = new Set([
  'value',
  'val',
  'v',
  'text',
  'data',
  'content',
  'old',
  'new',
  'from',
  'to',
  'before',
  'after',
  'current',
  'previou',
  'previous',
  'prev',
  'default',
  'raw',
  'display',
  'formatted',
  'string',
  'int',
  'integer',
  'answer',
  'a',
  'response',
  'result',
  'body',
  'lhs',
  'rhs',
  'was',
  'is',
  'input',
  'entry',
  'd',
  'x',
  'dd',
  'td',
  'item',
  'address',
  'number',
  'cell',
  'description',
])
/** Fields that describe the field itself, where they hold no more than a word of a program. */
const WORDS: ReadonlySet<string> = new Set([
  'type',
  'kind',
  'op',
  'operation',
  'action',
  'format',
  'unit',
  'mode',
  'datatype',
  'policy',
  'lang',
  'language',
  'table',
  'model',
  'entity',
  'code',
  'error',
  'rule',
  'severity',
  'status',
  'statu',
])
/** The same with sentences about the field. */
const SENTENCES: ReadonlySet<string> = new Set([
  'label',
  'description',
  'message',
  'title',
  'reason',
  'help',
  'hint',
  'placeholder',
])
const PLACES: ReadonlySet<string> = new Set(['position', 'order', 'index', 'id', 'line', 'column'])
const MOST_PLACE = 10_000
const FEW = 3
const LONGEST_LABEL = 80

export interface Described {
  readonly found: Found
  /** Fields that hold its value. */
  readonly values: ReadonlySet<string>
}

/**
 * Whether an object says of itself that it is about a restricted field: `{ name: 'ssn', value: …
 * }`, a step of a patch, a change, an answer to a question.
 */
export function describedIn(
  value: JsonObject,
  named: (name: string) => Found | undefined,
  mentions: Pick<Mentions, 'in' | 'withValue'>,
): Described | undefined {
  let found: Described | undefined
  const names = Object.keys(value)
  const isSilent = (text: string): boolean =>
    text.length <= LONGEST_LABEL && mentions.in(text) && !mentions.withValue(text)
  for (const name of names) {
    const label = labelIn(name, value[name] ?? null, (text) => mentions.in(text))
    const about = label === undefined ? undefined : named(label)
    if (!about) continue
    const word = wordsOf(name).at(-1) ?? ''
    const strong = NAMING.has(word) || NAMING.has(plainName(name)) || /^[#@]?text$/.test(name)
    // A word such as `email` in a field of its own (`channel: 'email'`) is no name of its
    // neighbours.
    let others: readonly string[] = []
    if (strong || (about.match.exact && names.length <= FEW))
      others = names.filter(
        (other) => other !== name && !isHarmless(other, value[other] ?? null, isSilent),
      )
    else if (about.match.exact) others = names.filter((other) => other !== name && isValue(other))
    if (others.length > 0)
      found = {
        found: found?.found ?? about,
        values: new Set([...(found?.values ?? []), ...others]),
      }
  }
  return found
}

/** A text that is short enough to be a name, or the last of a path that is one. */
function labelIn(
  name: string,
  value: Json,
  mentions: (text: string) => boolean,
): string | undefined {
  if (typeof value === 'string') return isLabel(value) && mentions(value) ? value : undefined
  // Many names are columns; a path is one.
  if (
    !isList(value) ||
    /s$/i.test(name) ||
    !NAMING.has(wordsOf(name).at(-1) ?? '') ||
    value.length === 0 ||
    value.length > 20
  )
    return undefined
  return value.findLast(
    (one): one is string => typeof one === 'string' && isLabel(one) && mentions(one),
  )
}

const isLabel = (text: string): boolean => text.length <= LONGEST_LABEL && !/[\d]{4}|@\S/.test(text)
const isValue = (name: string): boolean => wordsOf(name).some((word) => VALUES.has(word))

/** @param isSilent names the field, and gives no value of it away */
function isHarmless(name: string, value: Json, isSilent: (text: string) => boolean): boolean {
  if (typeof value === 'boolean' || value === null) return true
  if (isObject(value) || isList(value)) return false
  const word = wordsOf(name).at(-1) ?? ''
  if (isExact(value)) return false
  if (typeof value === 'number')
    return PLACES.has(word) && Number.isInteger(value) && Math.abs(value) < MOST_PLACE
  if (WORDS.has(word)) return /^[A-Za-z]{1,20}(?:_[A-Za-z]{1,20}){0,4}$/.test(value)
  return (SENTENCES.has(word) || NAMING.has(word)) && isSilent(value)
}
