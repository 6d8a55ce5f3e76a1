import type { Chosen } from '../chosen.ts'
import { compact, normal } from '../normal.ts'
import type { Clause } from './clause.ts'
import type { Deed } from './deed.ts'
import { takenFrom } from './owned.ts'
import { numbersIn } from './values.ts'
import { deedsOf, groupsOf, isReading, isVerb } from './verbs.ts'
import { isSameWord, partsOfName } from './word.ts'

const ALL: ReadonlySet<string> = new Set(
  'all every everything everybody whole entire each any settings setting alle alles jede ganze tout tous toutes todo todos todas'.split(
    ' ',
  ),
)

/** Clauses whose verb asks for what the call does. */
export function clausesFor(
  deed: Deed,
  chosen: readonly Chosen[],
  clauses: readonly Clause[],
  heavy: boolean,
): readonly Clause[] {
  const { verbs, groups, isCollection, makes } = deed
  return clauses.filter((clause) => {
    // Of all of a kind, or of what one has of it, somebody has to speak: one of them is another
    // thing.
    if (isCollection && !clause.words.some((word) => ALL.has(word))) return false
    if (isOtherwiseMeant(clause, deed)) return false
    if (verbs.some((verb) => isSameWord(clause.verb, verb) || isJoined(clause, verb))) return true
    if (groupsOf(clause.verb).some((group) => groups.includes(group))) return true
    if (!heavy && isFlagged(deed, clause.verb)) return true
    if (isAskedAs(deed, clause)) return true
    if (!heavy && verbs.length === 0 && isOfValues(clause, chosen)) return true
    return makes && !chosen.some(({ value }) => value === clause.verb) && isMadeBy(deed, clause)
  })
}

/** Nobody knows every verb: where it is about values of the call, they have to be said as well. */
const isOfValues = (clause: Clause, chosen: readonly Chosen[]): boolean =>
  !isVerb(clause.verb) &&
  !isReading(clause.verb) &&
  chosen.some((one) => one.field !== 'path' && standsIn(one, clause))

/** People make verbs of things: invoice them, message Ann. */
const isMadeBy = ({ nouns }: Deed, { verb }: Clause): boolean =>
  nouns.some((noun) => (isSameWord(verb, noun) && !verb.endsWith('s')) || isDoneBy(noun, verb))

/** A deed that goes by another verb. */
const isAskedAs = (deed: Deed, clause: Clause): boolean =>
  (deed.groups.includes('pay') && isMoneySent(clause)) ||
  isDoneAs(deed, clause) ||
  isTakenOut(deed, clause)

/** A yes that is named as the verb is: star it. */
const isFlagged = ({ values }: Deed, verb: string): boolean =>
  values.some(
    ({ value, name }) => value === true && partsOfName(name).some((part) => isSameWord(part, verb)),
  )

const MONEY =
  '(?:\\p{Sc}|euros?|eur|usd|dollars?|bucks|pounds?|quid|gbp|chf|francs?|franken|pln|zł|złotych|reais|yen)'
const SENT = new RegExp(`^(?:\\p{L}+ ){0,2}(?:${MONEY} \\d|\\d[\\d.,]*k? ${MONEY}(?: |$))`, 'u')
/** Send them 75 pounds: money behind the verb is paid. */
export const isMoneySent = ({ verb, text }: Clause): boolean =>
  groupsOf(verb).some((group) => group === 'send' || group === 'assign') &&
  SENT.test(text.slice(text.indexOf(verb) + verb.length + 1))

/** Somebody is taken out of a group by any verb that asks for no other deed. */
export const isTakenOut = ({ name, nouns }: Deed, { verb, text }: Clause): boolean => {
  const [, parent, id = ''] =
    /^DELETE \S*?\/([^/\s]*\d[^/\s]*)\/[^/\s]+\/([^/\s]+)$/.exec(name) ?? []
  const groups = groupsOf(verb)
  return (
    parent !== undefined &&
    nouns.some((noun) => /^(?:member|attendee|participant|follower|user)s?$/.test(noun)) &&
    !isReading(verb) &&
    groups.every((group) => group === 'change' || group === 'remove' || group === 'run') &&
    takenFrom(text).includes(parent) &&
    ` ${text} `.includes(` ${id.toLowerCase()} `)
  )
}

const LIGHT = /^(?:do|make|give|run|trigger|start|issue|perform|send|initiate|kick|need|request)$/
/** A deed as a thing: send her a password reset, do a restart. */
const isDoneAs = ({ verbs, isCollection }: Deed, { verb, text }: Clause): boolean =>
  !isCollection &&
  LIGHT.test(verb) &&
  verbs.some((deed) =>
    new RegExp(
      `(?:^| )(?:an?|the|another) (?:\\p{L}+ )?${deed.replace(/[^\p{L}]/gu, '')}(?= (?:of|for|on|to|please|pls|now|[,.!?])| ?$)`,
      'u',
    ).test(text),
  )

const DRAFT =
  /(?:^| )(?:drafts?|entw(?:urf|ürfe)|brouillons?|borrador(?:es)?|bozz[ae]|rascunhos?|concept|szkic|下書き)(?: |$)/u
const FINISHES: ReadonlySet<string> = new Set(['send', 'forward'])

/** Words by which a verb asks for another deed: drop it to 20, write a draft. */
function isOtherwiseMeant({ verb, text }: Clause, { name, groups, values }: Deed): boolean {
  if (groups.includes('remove') && verb === 'drop')
    return /(?:^| )(?:to|by|down|below|auf|um) (?:\p{Sc} )?\d/u.test(text)
  // Who writes a draft sends nothing yet.
  return (
    DRAFT.test(text) &&
    !/draft/i.test(name) &&
    !values.some(({ name: field, value }) => field === 'draft' || value === 'draft') &&
    (groups.includes('send') || groups.includes('reply')) &&
    !(
      groupsOf(verb).some((group) => FINISHES.has(group)) &&
      /(?:^| )(?:the|this|that|it|den|le|la|el|il|o) /u.test(text) &&
      verb !== 'write'
    )
  )
}

/** Whether a verb makes a thing that is named after a deed: ship, for deployments. */
export const isDoneBy = (noun: string, verb: string): boolean =>
  (CHANGES.test(noun) && groupsOf(verb).some((group) => WIDEST.has(group))) ||
  deedsOf(noun).some((group) => !WIDEST.has(group) && groupsOf(verb).includes(group))
const WIDEST: ReadonlySet<string> = new Set(['change', 'create'])
/** A change that is made as a thing of its own. */
const CHANGES = /^(?:adjustment|change|update|correction|movement)s?$/

/** Words that people write apart: roll back, log out. */
const isJoined = ({ verb, words }: Clause, wanted: string): boolean =>
  words.some((word, at) => word === verb && `${word}${words[at + 1] ?? ''}` === wanted)

/** Whether a value, or a part of it that says whom it means, stands in a clause. */
export function standsIn({ value }: Chosen, clause: Clause): boolean {
  const { words, text } = clause
  if (typeof value === 'number') return numbersIn(clause).includes(value)
  const wanted = normal(String(value))
  if (/\d{6}/.test(compact(wanted)) && compact(text).includes(compact(wanted))) return true
  return (
    text.includes(wanted) ||
    words.includes(wanted) ||
    partsOfName(wanted).some(
      (part) =>
        part.length > 2 &&
        !/^(?:com|org|net|www|http|https|example|mail)$/.test(part) &&
        words.includes(part),
    )
  )
}
