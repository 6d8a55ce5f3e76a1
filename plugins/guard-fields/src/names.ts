import { isSecretField } from './secret-fields.ts'

/** A name without case and spelling: `internal_notes`, `internalNotes` and `Internal Notes` are one. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** `companies` → `company`, `contacts` → `contact`; of a plain name. */
const singular = (name: string): string => (name.endsWith('ies') ? `${name.slice(0, -3)}y` : /[^s]s$/.test(name) ? name.slice(0, -1) : name)

/** What names are compared by: `E-Mails` and `email` are one. */
export const stemOf = (name: string): string => singular(plainName(name))

/** The steps of a path into an answer, lists left aside: `contacts[].e-mail` → `contact`, `email`. */
export const stepsOf = (path: string): readonly string[] => path.replaceAll(/\[[^\]]*\]/g, '').split('.').map(stemOf).filter((step) => step !== '' && step !== '$')

/** More different names than any API has. */
const MOST_NAMES = 10_000

/** What names mean, each looked at once: answers have few names, and many times. */
export class Names {
  readonly #stems = new Map<string, string>()
  readonly #plain = new Map<string, string>()
  readonly #secret = new Map<string, boolean>()

  plain(name: string): string { return remembered(this.#plain, name, plainName) }
  stem(name: string): string { return remembered(this.#stems, name, stemOf) }
  isSecret(name: string): boolean { return remembered(this.#secret, name, isSecretField) }
}

function remembered<T>(known: Map<string, T>, name: string, make: (name: string) => T): T {
  const had = known.get(name)
  if (had !== undefined) return had
  const made = make(name)
  if (known.size >= MOST_NAMES) known.clear()
  known.set(name, made)
  return made
}
