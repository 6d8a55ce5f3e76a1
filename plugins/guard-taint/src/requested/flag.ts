import { hasWord, type Clause } from './clause.ts'
import { groupsOf, isReading } from './verbs.ts'
import { isSameWord, partsOfName } from './word.ts'

const OFF: ReadonlySet<string> = new Set(
  "not no without off never don't dont stop un dis nicht kein ohne aus pas sans".split(' '),
)
/** Doesn't, isn't, won't. */
const NO = /^(?:do|does|did|is|are|was|wo|ca|should)n['’]?t$/
/** Names of fields that say that something is on. */
const ON: ReadonlySet<string> = new Set('enabled active activated on'.split(' '))

const SHOWN = /^(?:published|visible|listed|available|online|live|active|public)$/
/** Take it off the shop. */
const OFF_PLACE =
  /(?:(?:off|from|out of) (?:the |our )?(?:shop|store|site|website|web|catalogu?e|menu|sale|shelf|shelves|page|list)|offline|hors ligne|aus dem (?:shop|sortiment))(?: |$)/

/** What is set up is on. */
const sets = (verb: string): boolean =>
  groupsOf(verb).some((group) => group === 'create' || group === 'reply' || group === 'send')

/**
 * A yes or no: its name was said, and for a no that it is not to be.
 *
 * @param isSet it is given to something new
 * @param lately what was said in this turn and the one before
 */
export function isRequestedFlag(
  value: boolean,
  name: string,
  about: readonly Clause[],
  isSet: boolean,
  lately: readonly string[],
): boolean {
  const parts = partsOfName(name)
  return about.some((clause) => {
    if (!value && parts.some((part) => SHOWN.test(part)) && OFF_PLACE.test(clause.text)) return true
    if (parts.some((part) => ON.has(part)))
      return isSwitched(value, clause, isSet && parts.length === 1)
    // Who is told something reads it.
    const tells = groupsOf(clause.verb).some((group) => group === 'reply' || group === 'send')
    return (name === 'public' && value && tells) || isNamedFlag(value, parts, clause, lately)
  })
}

/** @param isSet whether what is new is on without a word */
function isSwitched(value: boolean, { verb, words, text }: Clause, isSet: boolean): boolean {
  // Take her off: of what, is said before.
  if (verb === 'disable' && /^(?:.* )?take /.test(text)) return false
  const [, to] = /(?:^| )(?:to|auf|back) (on|off)(?: |$)/.exec(text) ?? []
  if (to !== undefined) return value === (to === 'on')
  if (/^(?:turn|switch)$/.test(verb)) return words.includes(value ? 'on' : 'off')
  if (groupsOf(verb).includes(value ? 'enable' : 'disable')) return true
  return value && isSet && !words.some((word) => OFF.has(word)) && sets(verb)
}

function isNamedFlag(
  value: boolean,
  parts: readonly string[],
  { verb, words, hasPronoun }: Clause,
  lately: readonly string[],
): boolean {
  // She wants no marketing: take her off.
  const heard = hasPronoun ? [...words, ...lately.flatMap((text) => text.split(' '))] : words
  const isSaid = parts.some(
    (part) =>
      part.length > 2 &&
      !(verb === part && isReading(part)) &&
      (hasWord(heard, part) || isSameWord(verb, part)),
  )
  const isUndone = parts.some((part) => words.includes(`un${part}`))
  const isNot =
    isUndone ||
    words.some((word) => OFF.has(word) || NO.test(word)) ||
    groupsOf(verb).some((group) => group === 'remove' || group === 'disable')
  return value ? isSaid && !isNot : isUndone || (isSaid && isNot)
}
