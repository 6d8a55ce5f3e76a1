import { isPlain } from './plain.ts'
import type { Env } from './plugin.ts'

const SECRET = /secret|token|passw|api[-_]?key|credential|private|cookie|^auth|authorization|^key$|dsn/i
const SECRET_VARIABLE = /key|secret|token|passw|credential|auth|dsn/i
/** Shorter values of the environment (`1`, `true`, a port) are no secrets and stand everywhere. */
const SHORTEST = 8
const USER_INFO = /(\w+:\/\/)[^/@\s]+@/g

/** Config as it may be shown: secrets by their key, values that came from the environment by its name, logins in URLs. */
export function redact(config: unknown, env: Env): unknown {
  const names = new Map(Object.entries(env).flatMap(([name, value]) => (value !== undefined && value.length >= SHORTEST ? [[value, name] as const] : [])))
  const secrets = [...names].filter(([, name]) => SECRET_VARIABLE.test(name))
  const text = (value: string, key: string): string => {
    if (value.startsWith('env:')) return value
    const name = names.get(value) ?? secrets.find(([secret]) => value.includes(secret))?.[1]
    if (name !== undefined) return `env:${name}`
    return SECRET.test(key) ? '[redacted]' : value.replaceAll(USER_INFO, '$1[redacted]@')
  }
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return text(value, key)
    if (Array.isArray(value)) return value.map((item) => walk(item, key))
    if (isPlain(value)) return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, walk(item, SECRET.test(key) ? key : inner)]))
    if (typeof value === 'function') return '[function]'
    if (typeof value === 'object' && value !== null) return `[${value.constructor?.name ?? 'object'}]`
    return typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : value
  }
  return walk(config, '')
}
