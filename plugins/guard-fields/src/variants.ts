import type { Json } from '@amodal/sdk'
import { wordsOf } from './names.ts'

/** How a name is the name of a restricted field: its own, or one that has it in it. */
export interface Match {
  readonly exact: boolean
  /** The entity stands before it: `contact_ssn` is the `ssn` of a contact, wherever it stands. */
  readonly joined: boolean
  /** What the words around say that it holds instead: `email_verified`, `ssn_count`. */
  readonly about?: About
}
type About = 'flag' | 'count' | 'moment' | 'word'

/**
 * Words so general that more words around them name something else: `file_name`, `order_number`.
 */
const GENERAL: ReadonlySet<string> = new Set([
  'name',
  'note',
  'id',
  'number',
  'value',
  'addres',
  'address',
  'type',
  'code',
  'title',
  'date',
  'key',
  'text',
  'description',
  'status',
  'comment',
  'label',
  'amount',
  'price',
  'total',
  'statu',
  'user',
  'owner',
  'data',
  'city',
  'state',
  'country',
  'url',
  'link',
  'content',
  'body',
  'message',
  'detail',
  'age',
  'level',
  'score',
  'limit',
  'count',
  'line',
  'street',
  'zip',
])
/** Words around a name that leave it what it is, and stand glued to it as well. */
const AFFIXES: ReadonlySet<string> = new Set([
  'old',
  'new',
  'raw',
  'full',
  'primary',
  'secondary',
  'display',
  'formatted',
  'value',
  'val',
  'text',
  'legal',
  'original',
  'orig',
  'previou',
  'previous',
  'current',
  'plain',
  'clear',
  'cleartext',
  'plaintext',
  'by',
  'of',
  'for',
  'the',
  'my',
  'your',
  'customer',
  'client',
  'person',
  'contact',
  'user',
  'patient',
  'employee',
  'member',
  'owner',
  'account',
  'party',
  'applicant',
  'borrower',
  'tenant',
  'guest',
  'donor',
  'student',
  'payer',
  'payee',
  'partner',
  'number',
  'no',
  'nr',
  'num',
  'str',
  'string',
  'field',
  'last',
  'first',
  'middle',
  'given',
  'family',
  'maiden',
  'home',
  'work',
  'privat',
  'private',
  'personal',
  'encoded',
  'base',
  'json',
  'list',
  'map',
  'index',
  'lookup',
  'x',
  'hidden',
  'secret',
  'unmasked',
  'decrypted',
  'hash',
  'digit',
  'internal',
])
const ABOUT: ReadonlyMap<string, About> = new Map<string, About>([
  ...[
    'verified',
    'confirmed',
    'valid',
    'required',
    'enabled',
    'present',
    'missing',
    'exist',
    'optin',
    'consent',
    'visible',
    'editable',
    'provided',
  ].map((word) => [word, 'flag'] as const),
  ['count', 'count'],
  ...['at', 'on', 'date', 'updated', 'created'].map((word) => [word, 'moment'] as const),
  ...['status', 'statu', 'type', 'kind', 'format', 'source', 'state'].map(
    (word) => [word, 'word'] as const,
  ),
])
/** Shorter names stand in many words: `ssn` in "lessness". */
const LEAST_GLUED = 5

/**
 * @param field words of a restricted field
 * @param entity words of what it is a field of
 * @example matchOf('primaryContactSSN', ['ssn'], ['contact']) // { exact: false, joined: true }
 */
export function matchOf(
  name: string,
  field: readonly string[],
  entity: readonly string[],
): Match | undefined {
  const words = wordsOf(name)
  const sought = field.join('')
  if (sought === '' || words.length === 0) return undefined
  if (words.join('') === sought) return { exact: true, joined: false }
  const run = runOf(words, sought)
  if (!run) return gluedTo(words, sought, entity)
  const rest = [...words.slice(0, run.start), ...words.slice(run.end)]
  const joined = entity.length > 0 && words.slice(0, run.start).join('').endsWith(entity.join(''))
  if (
    !joined &&
    GENERAL.has(sought) &&
    !rest.every((word) => AFFIXES.has(word) || entity.includes(word) || /^\d+$/.test(word))
  )
    return undefined
  const about = run.end < words.length ? ABOUT.get(words.at(-1) ?? '') : undefined
  const exact = joined && words.length === entity.length + (run.end - run.start)
  return { exact, joined, ...(about && { about }) }
}

/** Where words stand that are the sought name when they are written as one. */
function runOf(
  words: readonly string[],
  sought: string,
): { readonly start: number; readonly end: number } | undefined {
  for (let start = 0; start < words.length; start++) {
    let joined = ''
    for (let end = start; end < words.length && joined.length < sought.length; end++) {
      joined += words[end] ?? ''
      if (joined === sought) return { start, end: end + 1 }
    }
  }
  return undefined
}

function gluedTo(
  words: readonly string[],
  sought: string,
  entity: readonly string[],
): Match | undefined {
  for (const word of [...words, words.join('')]) {
    if (word.length <= sought.length) continue
    if (!word.endsWith(sought) && !word.startsWith(sought)) continue
    const rest = word.endsWith(sought) ? word.slice(0, -sought.length) : word.slice(sought.length)
    const joined = rest === entity.join('') && word.endsWith(sought)
    if (joined || AFFIXES.has(rest) || AFFIXES.has(rest.replace(/s$/, '')) || /^\d+$/.test(rest))
      return { exact: joined, joined }
    if (sought.length >= LEAST_GLUED && !GENERAL.has(sought) && rest.length >= 2)
      return { exact: false, joined: false }
  }
  return undefined
}

/**
 * Whether a value is what the words around the name say: yes or no, how many, when, in which state.
 */
export function isAbout(value: Json, { exact, about = 'flag' }: Match): boolean {
  if (exact) return false
  if (typeof value === 'boolean' || value === null) return true
  switch (about) {
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value < 100_000
    case 'moment':
      return (
        typeof value === 'string' &&
        /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(value)
      )
    case 'word':
      return typeof value === 'string' && /^[A-Za-z_ -]{1,24}$/.test(value)
    case 'flag':
      return false
  }
}

/** Whether a name is too general to stand for itself in a sentence. */
export const isGeneral = (words: readonly string[]): boolean => GENERAL.has(words.join(''))
