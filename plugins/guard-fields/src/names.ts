import { plainLetters } from '@amodal/sdk/connections'
import { isSecretField } from './secret-fields.ts'

/**
 * A name without case, separators and Unicode form: `internal_notes`, `internalNotes` and
 * `Internal Notes` are one name. Letters that look like Latin ones count as these.
 */
export const plainName = (name: string): string =>
  plainLetters(name)
    .replaceAll('ı', 'i')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** What names are compared by: the plain name in the singular. */
export function stemOf(name: string): string {
  const plain = plainName(name)
  if (plain.endsWith('ies')) return `${plain.slice(0, -3)}y`
  return /[^s]s$/.test(plain) ? plain.slice(0, -1) : plain
}

/** The parts of a path: `contacts[].e-mail` is `contacts` and `e-mail`. */
export const partsOf = (path: string): readonly string[] =>
  path
    .replaceAll(/\[\d*\]/g, '')
    .split(/[./:[\]]/)
    .filter((part) => part !== '' && part !== '$')

/** The same parts as stems. */
export const stepsOf = (path: string): string[] =>
  partsOf(path)
    .map(stemOf)
    .filter((step) => step !== '')

/** Last words that say nothing of whose they are: `company_name` is not the name of the contact. */
const GENERIC: ReadonlySet<string> = new Set(
  'id name type title note status date value number label description code key'.split(' '),
)

/** What a name of several words ends with: `primary_contact_ssn` is an `ssn`. */
export function endingsOf(name: string): readonly string[] {
  const words = name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  return words
    .slice(1)
    .map((_, at) => stemOf(words.slice(at + 1).join(' ')))
    .filter((ending) => ending !== '' && !GENERIC.has(ending))
}

/** Has a number that could identify a person, or an address. */
export const holdsValue = (text: string): boolean => /\p{N}{4}|\p{N}[-. ]\p{N}|@./u.test(text)

/** Has the form of a field's name: a few words that start with a letter and hold no value. */
export const isNameLike = (text: string): boolean =>
  text.length <= 64 &&
  /^[\p{L}_$@#/][\p{L}\p{N}\p{M}\s_.:$#%&()/[\]-]*[?*]?$/u.test(text.trim()) &&
  !holdsValue(text) &&
  text.trim().split(/\s+/).length <= 5

/** What is known of a name by itself. */
interface Name {
  readonly stem: string
  readonly isSecret: boolean
}
/** Bound of the cache: more names than any API has. */
const MOST_NAMES = 10_000

/** Stems of names, each computed once: responses repeat few names many times. */
export class NameCache {
  readonly #names = new Map<string, Name>()

  of(name: string): Name {
    const cached = this.#names.get(name)
    if (cached) return cached
    const result = { stem: stemOf(name), isSecret: isSecretField(name) }
    if (this.#names.size >= MOST_NAMES) this.#names.clear()
    this.#names.set(name, result)
    return result
  }
}
