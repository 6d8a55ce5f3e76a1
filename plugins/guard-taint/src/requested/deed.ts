import { isList, isObject, type Json, type PreparedCall } from '@amodal/sdk'
import { isExact } from '@amodal/sdk/data'
import { belowBase } from '../chosen.ts'
import { purposeOf } from '../field-name.ts'
import { BY_METHOD, deedsOf, isVerb } from './verbs.ts'
import { partsOfName } from './word.ts'

/** What a call does, in the words that people would use for it. */
export interface Deed {
  /** For the person who is asked: `POST /contacts/42/unlock`, `rotate_all_keys`. */
  readonly name: string
  /**
   * The verb that its name has, or what may be one; none, where only its method says what is done.
   */
  readonly verbs: readonly string[]
  /** Lists of verbs each of which asks for it. */
  readonly groups: readonly string[]
  /** What it is done to. */
  readonly nouns: readonly string[]
  /** What of it: a password, a second factor. Each has to be spoken of. */
  readonly parts: readonly string[]
  /** Made of things of one kind, and of none in particular. */
  readonly isCollection: boolean
  /** It makes one more of a kind. */
  readonly makes: boolean
  readonly values: readonly Given[]
}

/** A value that a call is given. */
export interface Given {
  readonly field: string
  readonly name: string
  readonly value: string | number | boolean | null
  readonly says: boolean
}

/** Say nothing of what is done. */
const EMPTY: ReadonlySet<string> = new Set(
  'api rest public v1 v2 v3 v4 to for by of the all and a an in on from with batch bulk data item items record records entry entries object resource details info'.split(
    ' ',
  ),
)
const MOST_LEVELS = 40

export function deedOf({ tool, action, args }: PreparedCall): Deed {
  if (action?.protocol === 'rest' && (action.method === 'MUTATION' || action.method === 'QUERY')) {
    const fields = fieldsOf(JSON.stringify(action.body ?? action.query))
    return {
      ...named(fields.join('_')),
      name: `mutation ${fields.join(', ')}`,
      values: givenIn(variablesOf(action.body), 'body', '', 0),
    }
  }
  if (action?.protocol === 'rest') {
    const query = Object.entries(action.query).flatMap(([name, values]) =>
      values.flatMap((value) => givenIn(value, `query.${name}`, name, 0)),
    )
    return {
      ...ofPath(action.method, belowBase(action.path, action.base)),
      name: `${action.method} ${action.path}`,
      values: [...query, ...(action.body === undefined ? [] : givenIn(action.body, 'body', '', 0))],
    }
  }
  const name = action?.protocol === 'mcp' ? action.path : tool.name
  return { ...named(name), name: tool.name, values: givenIn(action?.body ?? args, 'args', '', 0) }
}

/** A tool says what it does by its name. */
function named(name: string): Words {
  const parts = partsOfName(name).filter((part) => !EMPTY.has(part))
  const at = Math.max(0, parts.findIndex(isVerb))
  const verb = parts[at] ?? name
  return {
    verbs: [verb],
    groups: deedsOf(verb),
    nouns: parts.filter((_part, index) => index !== at),
    parts: [],
    isCollection: false,
    makes: false,
  }
}

type Words = Omit<Deed, 'name' | 'values'>

const noun = (list: string): RegExp => new RegExp(`^(?:${list})s?$`)
/** To cancel one of these is to delete it: of others something is left. */
const DATED = noun(
  'event|meeting|appointment|booking|reservation|invitation|reminder|subscription|session|series|debit|shift|job|alarm|call|registration|rsvp|hold',
)
const RUNNING = noun('subscription|series|standing|debit')
const FOLLOWED = noun('subscription|subscriber|follower|watcher|member|newsletter|list')
const MONEY = noun('payment|transfer|payout|withdrawal|deposit|charge|credit|refund|debit')
const RUN = noun(
  'run|job|execution|build|pipeline|workflow|import|export|report|backup|task|test|scan|sync|query|queries|deployment',
)
const OPENED = noun('session|token|grant')
/** Who has something sent, told or shared spends nothing. */
const SPENT: readonly string[] = ['create', 'pay', 'refund', 'buy']

/** What a request does by its method, to things of this kind. */
function groupsFor(method: string, nouns: readonly string[]): readonly string[] {
  const isOf = (kind: RegExp): boolean => nouns.some((one) => kind.test(one))
  const groups = BY_METHOD[method] ?? []
  if (method === 'POST' && isOf(MONEY)) return SPENT
  if (method === 'POST' && !isOf(RUN)) return groups.filter((group) => group !== 'run')
  if (method !== 'DELETE') return groups
  return [
    ...groups,
    ...(isOf(DATED) ? ['cancel'] : []),
    ...(isOf(RUNNING) ? ['stop', 'cancel'] : []),
    ...(isOf(FOLLOWED) ? ['unsubscribe'] : []),
    ...(isOf(OPENED) ? ['logout'] : []),
  ]
}

/** Parts of names that say nothing of which of several things is meant. */
const MODIFIED: ReadonlySet<string> = new Set(
  'adjustment adjustments rule rules item items line lines entry entries request requests record records value values setting settings support sales customer user chat calendar mail crm work ticket order contact contacts event events'.split(
    ' ',
  ),
)

/**
 * `POST /contacts/42/unlock` is named by its last part; `PATCH /contacts/42` by its method, and
 * done to a contact.
 */
function ofPath(method: string, path: string): Words {
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => part.replace(/%20/g, ' '))
  const plain = segments.map((segment) =>
    /\d/.test(segment) || segment.includes('@') || /^[A-Z]/.test(segment)
      ? []
      : partsOfName(segment).filter((part) => !EMPTY.has(part)),
  )
  const at = plain.findLastIndex((parts) => parts.length > 0)
  const last = plain[at] ?? []
  const isLast = at === plain.length - 1
  // A part behind an id is what is done with it, where it is a verb or nothing says that it is a
  // thing.
  const acts =
    method === 'POST' && isLast && (last.some(isVerb) || at > 1) && !last.at(-1)?.endsWith('s')
  if (!acts)
    return {
      verbs: [],
      groups: groupsFor(method, last),
      nouns: last,
      parts: last.length > 1 ? last.filter((part) => !MODIFIED.has(part)) : [],
      isCollection: isLast && method === 'DELETE',
      makes: method === 'POST',
    }
  const verbs = last.some(isVerb) ? last.filter(isVerb) : last
  const of = plain.slice(0, at).findLast((parts) => parts.length > 0) ?? []
  return {
    verbs,
    groups: verbs.flatMap((verb) => deedsOf(verb)),
    nouns: [...last.filter((part) => !verbs.includes(part)), ...of],
    parts: plain
      .slice(segments.findLastIndex((segment) => /\d/.test(segment)) + 1 || at)
      .flat()
      .filter((part) => at > 1 && !verbs.includes(part)),
    isCollection: false,
    makes: false,
  }
}

/** The fields of a GraphQL document that are given something, and those at its top. */
function fieldsOf(text: string): readonly string[] {
  return [...text.matchAll(/[{,]?\s*([A-Za-z_]\w*)\s*\(/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/^(query|mutation|subscription)$/i.test(name) && name !== '')
    .slice(0, 4)
}

const variablesOf = (body: Json | undefined): Json =>
  isObject(body ?? null) ? ((body as { readonly variables?: Json }).variables ?? null) : null

/** The values of a call, each with its place. */
export function givenIn(value: Json, field: string, name: string, level: number): readonly Given[] {
  if (level > MOST_LEVELS) return [{ field, name, value: '…', says: false }]
  if (isList(value))
    return value.length === 0
      ? [given(field, name, null)]
      : value.flatMap((item, at) => givenIn(item, `${field}[${at}]`, name, level + 1))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, item]) =>
      givenIn(item, `${field}.${key}`, key, level + 1),
    )
  return value === null && name === ''
    ? []
    : [given(field, name, isExact(value) ? value.digits : value)]
}

const given = (field: string, name: string, value: Given['value']): Given => ({
  field,
  name,
  value,
  says: purposeOf(name) === 'says',
})
