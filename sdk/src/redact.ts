import type { Json } from '@amodal/kernel'

export const REDACTED = '[REDACTED]'

const SECRET_WORDS: ReadonlySet<string> = new Set([
  'token', 'secret', 'secrets', 'password', 'passwd', 'passphrase', 'pwd', 'authorization', 'bearer',
  'credential', 'credentials', 'cookie', 'apikey',
])

/** Two words that together name a secret, where the second alone (`key`) does not. */
const SECRET_PAIRS: ReadonlySet<string> = new Set(['api key', 'access key', 'private key', 'signing key', 'encryption key', 'auth key', 'ssh key'])

/** `clientSecret`, `client_secret`, `CLIENT-SECRET` → `client`, `secret`. */
const wordsOf = (name: string): readonly string[] =>
  name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2').toLowerCase().split(/[^a-z0-9]+/).filter(Boolean)

/**
 * Whether a name says that its value is a secret. Whole words count: `api_key` and `authToken` do,
 * `keyboard`, `monkey` and `max_tokens` do not.
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  return words.some((word, at) => SECRET_WORDS.has(word) || SECRET_PAIRS.has(`${word} ${words[at + 1] ?? ''}`))
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/** The value with everything under a secret's name replaced, at any depth; the same object where there is nothing to replace. */
export function redact(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) {
    const shown = value.map(redact)
    return shown.some((item, at) => item !== value[at]) ? shown : value
  }
  let changed = false
  const shown = Object.entries(value).map(([name, inner]: [string, Json]) => {
    const kept = isSecretName(name) && inner !== null ? REDACTED : redact(inner)
    changed ||= kept !== inner
    return [name, kept] as const
  })
  return changed ? Object.fromEntries(shown) : value
}
