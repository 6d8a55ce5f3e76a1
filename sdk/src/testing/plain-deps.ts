import { err, ok, type Plugin } from '@amodal/kernel'
import { failure } from '../errors.ts'
import { definePlugin } from '../define-plugin.ts'
import { Outbound } from '../ports/outbound.ts'
import { Secrets } from '../ports/secrets.ts'

/** Secrets from a record. */
export function secretsOf(values: Readonly<Record<string, string>>): Secrets {
  const known = (): readonly string[] => Object.values(values)
  return {
    get: (name) => values[name],
    resolve(text, where) {
      if (!text.startsWith('env:')) return ok(text)
      const value = values[text.slice(4)]
      return value === undefined
        ? err(failure('ENV_NOT_SET', `${text.slice(4)} is not set (${where})`))
        : ok(value)
    },
    load: () => [],
    values: known,
    protect: () => () => undefined,
    mask: (text) => known().reduce((masked, value) => masked.replaceAll(value, '[MASKED]'), text),
  }
}

/** The platform's own fetch, with nothing in between. */
export const straightOut: Outbound = {
  request: () => Promise.resolve(err(failure('OUTBOUND_REFUSED', 'models call through fetch'))),
  fetch: () => fetch,
}

/** Both as a plugin, for one that requires them. */
export const plainDeps = (values: Readonly<Record<string, string>>): Plugin =>
  definePlugin({
    name: 'plain-deps',
    version: '1.0.0',
    provides: [Secrets, Outbound],
    setup({ provide }) {
      provide(Secrets, () => secretsOf(values))
      provide(Outbound, () => straightOut)
    },
  })
