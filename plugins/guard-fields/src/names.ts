import { nameKey, plainLetters } from '@amodal/sdk/connections'
import { isSecretField } from './secret-fields.ts'

const OTHER_THAN_ASCII = /[^\x20-\x7e]/

/**
 * A name in Latin letters, with its case: full-width, marked and look-alike letters are made plain.
 * Taking more names for restricted ones is safe.
 */
export function latin(name: string): string {
  if (!OTHER_THAN_ASCII.test(name)) return name
  return [...name.normalize('NFKC')]
    .map((char) => {
      const plain = plainLetters(char).replace('ı', 'i')
      return char === nameKey(char) ? plain : plain.toUpperCase()
    })
    .join('')
}

/**
 * A name without case and spelling: `internal_notes`, `internalNotes` and `Internal Notes` are one.
 */
export const plainName = (name: string): string =>
  latin(name)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** `companies` → `company`, `contacts` → `contact`; of a plain name. */
function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return /[^s]s$/.test(name) ? name.slice(0, -1) : name
}

/** What names are compared by: `E-Mails` and `email` are one. */
export const stemOf = (name: string): string => singular(plainName(name))

/** The words of a name: `primaryContactSSN2` → `primary`, `contact`, `ssn`, `2`. */
export function wordsOf(name: string): readonly string[] {
  return latin(name)
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{N})|(\p{N})(\p{L})/gu, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(singular)
}

/**
 * The steps of a path into an answer, lists left aside: `contacts[].e-mail` → `contact`, `email`.
 */
export const stepsOf = (path: string): readonly string[] =>
  partsOf(path)
    .map(stemOf)
    .filter((step) => step !== '')

/** The same steps as they are written. */
export const partsOf = (path: string): readonly string[] =>
  path
    .replaceAll(/\[[^\]]*\]/g, '')
    .split('.')
    .filter((step) => step !== '' && step !== '$')

/** Has a number in it that could be somebody's, or an address. */
export const holdsValue = (text: string): boolean => /\p{N}{4}|\p{N}[-. ]\p{N}|@./u.test(text)

/**
 * Written as a name is, and not as a value: no number in it that could be somebody's, no address,
 * no sentence.
 */
export const isNameLike = (text: string): boolean =>
  text.length <= 64 &&
  /^[\p{L}_$@#/][\p{L}\p{N}\p{M}\s_.$#%&()/[\]-]*[?:*]?$/u.test(latin(text).trim()) &&
  !holdsValue(text) &&
  text.trim().split(/\s+/).length <= 5

/** Bound of the cache: more names than any API has. */
const MOST_NAMES = 10_000

/** What names mean, each looked at once: answers have few names, and many times. */
export class Names {
  readonly #stems = new Map<string, string>()
  readonly #plain = new Map<string, string>()
  readonly #secret = new Map<string, boolean>()

  plain(name: string): string {
    return memoized(this.#plain, name, plainName)
  }
  stem(name: string): string {
    return memoized(this.#stems, name, stemOf)
  }
  isSecret(name: string): boolean {
    return memoized(this.#secret, name, isSecretField)
  }
}

export function memoized<T>(known: Map<string, T>, name: string, make: (name: string) => T): T {
  const had = known.get(name)
  if (had !== undefined) return had
  const made = make(name)
  if (known.size >= MOST_NAMES) known.clear()
  known.set(name, made)
  return made
}
