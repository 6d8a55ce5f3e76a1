import { isSecretName, REDACTED } from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

const DEPTH = 8
const ITEMS = 100
const CHARS = 8_192

/**
 * Facts as plain JSON for the log: values under a secret's name and values of known secrets are
 * masked, and depth and length are bounded.
 *
 * @param mask hides the values of secrets in a text
 */
export function serialisable(
  facts: Readonly<Record<string, unknown>>,
  mask: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const above = new Set<object>()

  const serialise = (value: unknown): unknown => {
    switch (typeof value) {
      case 'string':
        return truncated(mask(value))
      case 'number':
        return maskedOr(value, String(value))
      case 'bigint':
        return maskedOr(String(value), String(value))
      case 'boolean':
      case 'undefined':
        return value
      case 'function':
        return `[function ${value.name}]`
      case 'symbol':
        return String(value)
      case 'object':
        return value === null ? null : below(value, () => showObject(value))
      default:
        return undefined
    }
  }
  /** A number may be the secret itself. */
  const maskedOr = (value: unknown, text: string): unknown => {
    const masked = mask(text)
    return masked === text ? value : masked
  }
  const below = (value: object, act: () => unknown): unknown => {
    if (above.has(value)) return '[circular]'
    if (above.size >= DEPTH) return '[deeper]'
    above.add(value)
    try {
      return act()
    } catch {
      return '[unreadable]' // a getter or a proxy that throws must not cost the line
    } finally {
      above.delete(value)
    }
  }
  const showObject = (value: object): unknown => {
    if (Array.isArray(value))
      return value.length > ITEMS
        ? [...value.slice(0, ITEMS).map(serialise), `… ${value.length - ITEMS} more`]
        : value.map(serialise)
    if (value instanceof Error) return showError(value)
    if (value instanceof Date)
      return Number.isNaN(value.getTime()) ? String(value) : value.toISOString()
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    if (value instanceof Map)
      return showEntries([...value].map(([key, inner]) => [String(key), inner]))
    if (value instanceof Set) return serialise([...value])
    if (value instanceof URL) return serialise(value.href)
    return showEntries(Object.entries(value))
  }
  const showEntries = (
    entries: readonly (readonly [string, unknown])[],
  ): Record<string, unknown> => {
    const kept = entries
      .slice(0, ITEMS)
      .map(([key, value]): [string, unknown] => [
        mask(key),
        isSecretName(key) && value !== undefined && value !== null ? REDACTED : serialise(value),
      ])
    if (entries.length > ITEMS) kept.push(['…', `${entries.length - ITEMS} more`])
    return Object.fromEntries(kept)
  }
  const showError = (error: Error): Record<string, unknown> => ({
    name: error.name,
    ...('code' in error && { code: serialise(error.code) }),
    message: serialise(error.message),
    ...('plugin' in error && { plugin: serialise(error.plugin) }),
    ...(error.stack !== undefined && { stack: serialise(error.stack) }),
    ...(error.cause !== undefined && { cause: serialise(error.cause) }),
    ...(error instanceof AggregateError && { errors: serialise(error.errors) }),
  })

  return showEntries(Object.entries(facts))
}

const truncated = (text: string): string =>
  text.length > CHARS ? `${textStart(text, CHARS)}… ${text.length - CHARS} more characters` : text
