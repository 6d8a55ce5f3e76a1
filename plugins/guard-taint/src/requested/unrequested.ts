import type { PreparedCall } from '@amodal/sdk'
import { chosenBy, pathOf, type Chosen } from '../chosen.ts'
import { isGrant } from '../field-name.ts'
import { normal } from '../normal.ts'
import { originOf, type Origin } from '../origin.ts'
import { isTrustedValue, sourceOf } from '../trusted-value.ts'
import type { Known } from '../taint.ts'
import { clausesFor, isDoneBy, isMoneySent, isTakenOut, standsIn } from './request-clauses.ts'
import type { Clause } from './clause.ts'
import { DAY, momentsIn, TIME, type Moments } from './day.ts'
import { deedOf, type Deed, type Given } from './deed.ts'
import { isOtherField } from './fields.ts'
import { isFollowUp } from './follow-up.ts'
import { nameOf } from './implied.ts'
import { isBehindVerb } from './bare-id.ts'
import { isNamedId, isTopic, nounsOf, withoutFirst } from './ids.ts'
import { carriedIn, saysOther } from './prose.ts'
import { isExcluded } from './senses.ts'
import { isOfAnother, isOfOther } from './owned.ts'
import { isOnOtherSide } from './side.ts'
import { isPlainlyRequested } from './plain-request.ts'
import { impliesNoun, isGeneric, isSameNoun } from './verbs.ts'
import {
  amountsIn,
  isOtherUnit,
  isRequestedValue,
  isEnumerated,
  isMade,
  isMeantHere,
} from './values.ts'
import { isHeavy } from './weight.ts'
import { isSameWord, partsOfName } from './word.ts'

/** Kinds of things whose name goes without saying where the thing itself is named. */
const KINDS: ReadonlySet<string> = new Set(
  'user person contact customer client member channel file document folder project repository repo ticket issue message mail email event order invoice deal task lead service app'.split(
    ' ',
  ),
)
const MOST_SHOWN = 6
/**
 * What of a call nobody asked for: the call itself, where no person's words ask for what it does,
 * or values that stand in none of them. Empty, where a person asked for it, as far as words can
 * tell.
 */
export async function unrequestedPart(
  call: PreparedCall,
  known: Known,
  now: number,
): Promise<readonly Origin[]> {
  const deed = deedOf(call)
  const {
    session: { requests },
  } = known
  const chosen = chosenBy(call)
  const what = (why: readonly Origin[]): readonly Origin[] => [aboutCall(call, known), ...why]
  if (requests.isRepeated(call.tool.name, call.args)) return what([])
  const moments = deed.values.some(
    ({ value }) => typeof value === 'string' && (DAY.test(value) || TIME.test(value)),
  )
    ? await momentsIn(requests.texts(), now)
    : undefined
  const why = strictly(call, deed, chosen, known, moments)
  if (why?.length === 0) return []
  const isOtherwise =
    isFollowUp(call, known) ||
    (!isHeavy(call, deed) && isPlainlyRequested(call, deed, chosen, known, moments))
  if (!isOtherwise) return what(why ?? [])
  const carried = carriedBy(deed, known, [])
  return carried.length === 0 ? [] : what(carried)
}

/** What of a call no verb asks for; nothing, where none asks for the call at all. */
function strictly(
  call: PreparedCall,
  deed: Deed,
  chosen: readonly Chosen[],
  known: Known,
  moments: Moments | undefined,
): readonly Origin[] | undefined {
  const { requests } = known.session
  const path = pathOf(call)
  const clauses = clausesFor(
    deed,
    chosen,
    requests.clauses(call.tool.name, call.args),
    isHeavy(call, deed),
  )
  if (clauses.length === 0) return undefined
  const heavy = isHeavy(call, deed)
  const bare = (id: string, about: readonly Clause[]): boolean =>
    !heavy && about.some((clause) => isBehindVerb(id, clause))
  const all = clauses.filter(
    (clause) =>
      isAbout(clause, deed, chosen, known) ||
      (deed.values.length > 0 &&
        path.some((part) => bare(part, [clause]) || (!heavy && isTopicNow(part, known)))),
  )
  if (all.length === 0) return undefined
  const own = all.filter((clause) => !isOfAnother(clause, deed, path))
  const about = own.length === 0 ? all : own
  const why = strangeIn(call, deed, chosen, about, known, moments)
  return why.length === 0 && own.length === 0 ? undefined : why
}

const isTopicNow = (id: string, { session: { requests } }: Known): boolean =>
  requests
    .now()
    .some(({ sentences }) =>
      sentences.some(
        ({ tokens }) =>
          isTopic(id, tokens) || (/^\d{4,12}$/.test(id) && isNamedId(id, [], [tokens], true)),
      ),
    )

/** What of a call stands in none of the clauses that ask for it. */
function strangeIn(
  call: PreparedCall,
  deed: Deed,
  chosen: readonly Chosen[],
  about: readonly Clause[],
  known: Known,
  moments: Moments | undefined,
): readonly Origin[] {
  const path = pathOf(call)
  const heavy = isHeavy(call, deed)
  const strangers = chosen.filter(
    (one) =>
      !isNamed(one, about, path, known) &&
      !(
        one.field === 'path' &&
        !heavy &&
        (about.some((clause) => isBehindVerb(String(one.value), clause)) ||
          isTopicNow(String(one.value), known))
      ),
  )
  const asked = about.map(({ text }) => text)
  const isSet = call.action?.method === 'PUT' || call.action?.method === 'POST'
  const fields = new Set(chosen.map(({ field }) => field))
  const isChange = /^(?:PATCH|PUT)$/.test(call.action?.method ?? '')
  const loose = deed.values.filter(
    (one) =>
      (isChange && isOtherField(one.field, about)) ||
      (!fields.has(one.field) &&
        !isRequestedValue(
          one,
          typeof one.value === 'number' ? withoutNames(about, path) : about,
          known,
          moments,
          isSet,
        )),
  )
  return [
    ...strangers.map((one) => originOf(one, sourceOf(one.value, known))),
    ...loose.slice(0, MOST_SHOWN).map((one) => shown(one, known)),
    ...carriedBy(deed, known, asked),
  ]
}

/** Of why something is done, calls offer words to choose from. */
const REASON = /reason|cause|category/i

/** What its texts hold that nobody asked to pass on. */
function carriedBy(deed: Deed, known: Known, asked: readonly string[]): readonly Origin[] {
  const texts = deed.values.flatMap(({ field, name, value, says }) =>
    says && typeof value === 'string' && !(REASON.test(name) && isEnumerated(value))
      ? [{ field, value }]
      : [],
  )
  const carried = texts.flatMap(({ field, value }) =>
    carriedIn(field, value, known, [...asked, ...known.session.requests.texts()]),
  )
  const [first] = texts
  return carried.length === 0 &&
    first &&
    saysOther(
      texts.map(({ value }) => value),
      asked,
      deed,
      known,
    )
    ? [originOf(first, sourceOf(first.value, known))]
    : carried
}

/** Whether what is asked for in a clause is about what the call is done to. */
function isAbout(
  clause: Clause,
  deed: Deed,
  chosen: readonly Chosen[],
  { session: { requests } }: Known,
): boolean {
  const { verbs, nouns, parts } = deed
  const everything = requests
    .tokens()
    .flat()
    .map(({ text }) => text)
  const names = (words: readonly string[], noun: string): boolean =>
    words.some((word) => isSameNoun(noun, word)) ||
    isSameWord(clause.verb, noun) ||
    impliesNoun(clause.verb, noun) ||
    (!isGeneric(clause.verb) && isDoneBy(noun, clause.verb)) ||
    (isSameNoun(noun, 'payment') && isMoneySent(clause)) ||
    (OWN.has(noun) && words.some((word) => MINE.has(word)))
  // What the path calls the deed is nothing that it is done to.
  const isDeed = ({ field, value }: Chosen): boolean =>
    field === 'path' && partsOfName(String(value)).every((part) => verbs.includes(part))
  const value = chosen.some((one) => !isDeed(one) && standsIn(one, clause))
  const said = (noun: string): boolean =>
    names(clause.words, noun) || ((clause.hasPronoun || value) && names(everything, noun))
  if (nouns.length === 0) return true
  if (isTakenOut(deed, clause)) return true
  if (isOfOther(deed.makes ? { text: clause.sentence } : clause, deed, chosen)) return false
  if (!parts.every(said)) return false
  if (verbs.length > 0 && verbs.every(isGeneric))
    return nouns.every((noun) => said(noun) || (KINDS.has(noun) && value))
  return nouns.some(said) || (verbs.length > 0 && value)
}

/** What stands in a path for whoever asks. */
const OWN: ReadonlySet<string> = new Set(['me', 'self', 'profile', 'account', 'myself'])
const MINE: ReadonlySet<string> = new Set(
  'my me mine our mein meine meinen mon ma mes mi mis'.split(' '),
)

/** Whether the person named what a call is done to where they asked for it, and as what it is. */
function isNamed(
  one: Chosen,
  about: readonly Clause[],
  path: readonly string[],
  known: Known,
): boolean {
  const {
    session: { requests, person },
  } = known
  const text = String(one.value)
  const isId =
    /^\d{1,12}$/.test(text) &&
    (one.field === 'path' ||
      /(?:^|[._-]|[a-z])(?:id|ids|no|number|key|ref)(?:\[\d+\])?$/i.test(one.field))
  if (one.field !== 'path' && isOnOtherSide(one.field, one.value, about, path)) return false
  if (isId) {
    const nouns = nounsOf(one.field, path, text)
    return (
      isNamedId(text, nouns, requests.tokens()) ||
      about.some(
        (clause) =>
          isBehindVerb(text, clause) && nouns.some((noun) => impliesNoun(clause.verb, noun)),
      )
    )
  }
  // What the files of the agent say, its author has chosen: paths among them.
  const isTold = person.find(text) !== undefined
  const isOffered = isGrant(nameOf(one.field))
    ? known.constants.defaults.has(normal(text))
    : isTrustedValue(one, known)
  if (one.field === 'path' ? !isTold || known.own.find(text) : !isTold && isOffered) return true
  if (isEnumerated(text) && person.find(text) === undefined)
    return isMeantHere(text, nameOf(one.field), about, requests.lately())
  if (isEnumerated(text) && about.some((clause) => isExcluded(text, clause.text))) return false
  if (typeof one.value === 'number' && isAmount(one))
    return (
      !isOtherUnit(nameOf(one.field), about) &&
      withoutNames(about, path).some(
        ({ text: said, hasPronoun }) =>
          amountsIn(said, nameOf(one.field)).includes(Number(one.value)) ||
          (hasPronoun && !about.some((clause) => standsIn(one, clause))) ||
          isMade(Number(one.value), about, requests.lately()),
      )
    )
  return (
    about.some((clause) => clause.hasPronoun || standsIn(one, clause)) ||
    (typeof one.value === 'number' && isMade(one.value, about, requests.lately()))
  )
}

/** A number that says how much, and not which one. */
const isAmount = ({ field }: Chosen): boolean =>
  field !== 'path' &&
  !/^(?:.*ids?|no|number|key|ref|from|to|into|of|with|parent|target|source|.*_of)$/i.test(
    nameOf(field),
  )

/** Clauses in which what the path names is no number that says how much. */
const withoutNames = (about: readonly Clause[], path: readonly string[]): readonly Clause[] => {
  const ids = path.filter((part) => /^\d+$/.test(part))
  return about.map((clause) => ({ ...clause, text: withoutFirst(clause.text, ids) }))
}

/** The call itself, with what came from outside and speaks of it; else with the newest. */
export function aboutCall(call: PreparedCall, { session: { outside }, described }: Known): Origin {
  const { name, verbs, nouns } = deedOf(call)
  const source =
    [name, ...verbs, ...nouns].map((word) => outside.find(word)).find((one) => one !== undefined) ??
    outside.newest ??
    described.newest
  return originOf({ field: 'call', value: name }, source)
}

function shown({ field, value }: Given, known: Known): Origin {
  const text = typeof value === 'number' ? value : String(value)
  return originOf(
    { field, value: text },
    typeof value === 'boolean' || value === null ? undefined : sourceOf(text, known),
  )
}
