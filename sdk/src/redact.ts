import { isExact } from '@amodal/kernel'
import type { Env, Json } from '@amodal/kernel'
import { isList } from './json.ts'

export const REDACTED = '[REDACTED]'

const SECRET_WORDS: ReadonlySet<string> = new Set([
  'token',
  'secret',
  'secrets',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'authorization',
  'bearer',
  'credential',
  'credentials',
  'cookie',
  'apikey',
])

/** Two words that together name a secret, where the second alone (`key`) does not. */
const SECRET_PAIRS: ReadonlySet<string> = new Set([
  'api key',
  'access key',
  'private key',
  'signing key',
  'encryption key',
  'auth key',
  'ssh key',
])

/** `clientSecret`, `client_secret`, `CLIENT-SECRET` → `client`, `secret`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

/**
 * Whether a name says that its value is a secret. Whole words count: `api_key` and `authToken` do,
 * `keyboard`, `monkey` and `max_tokens` do not.
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  return words.some(
    (word, at) => SECRET_WORDS.has(word) || SECRET_PAIRS.has(`${word} ${words[at + 1] ?? ''}`),
  )
}

/**
 * The value with everything under a secret's name replaced, at any depth; the same object where
 * there is nothing to replace.
 */
export function redact(value: Json): Json {
  if (typeof value !== 'object' || value === null || isExact(value)) return value
  if (isList(value)) {
    const shown = value.map(redact)
    return shown.some((item, at) => item !== value[at]) ? shown : value
  }
  let changed = false
  const shown = Object.entries(value).map(([name, inner]: [string, Json]) => {
    const redacted = isSecretName(name) && inner !== null ? REDACTED : redact(inner)
    changed ||= redacted !== inner
    return [name, redacted] as const
  })
  return changed ? Object.fromEntries(shown) : value
}

/** What may be a secret in config. It is only shown, so it hides rather too much. */
const LIKELY_SECRET =
  /secret|token|passw|api[-_]?key|credential|private|cookie|^auth|authorization|^key$|dsn/i
const SECRET_VARIABLE = /key|secret|token|passw|credential|auth|dsn/i
/** Shorter values of the environment (`1`, `true`, a port) are no secrets and stand everywhere. */
const SHORTEST = 8
const USER_INFO = /(\w+:\/\/)[^/@\s]+@/g

/**
 * Config as it may be shown: secrets by their key, values that came from the environment by its
 * name, logins in URLs.
 */
export function redactConfig(config: unknown, env: Env): unknown {
  const names = new Map(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && value.length >= SHORTEST ? [[value, name] as const] : [],
    ),
  )
  const secrets = [...names].filter(([, name]) => SECRET_VARIABLE.test(name))
  const text = (value: string, key: string): string => {
    if (value.startsWith('env:')) return value
    const name = names.get(value) ?? secrets.find(([secret]) => value.includes(secret))?.[1]
    if (name !== undefined) return `env:${name}`
    return LIKELY_SECRET.test(key) ? '[redacted]' : value.replaceAll(USER_INFO, '$1[redacted]@')
  }
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return text(value, key)
    if (Array.isArray(value)) return value.map((item) => walk(item, key))
    if (typeof value === 'function') return '[function]'
    if (typeof value === 'object' && value !== null) {
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype !== Object.prototype && prototype !== null)
        return `[${value.constructor?.name ?? 'object'}]`
      return Object.fromEntries(
        Object.entries(value).map(([inner, item]) => [
          inner,
          walk(item, LIKELY_SECRET.test(key) ? key : inner),
        ]),
      )
    }
    return typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : value
  }
  return walk(config, '')
}
