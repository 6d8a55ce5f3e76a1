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

/**
 * A way out that leads every request to one server, whatever host it is for: what a provider sends
 * to its own address can be tested without it.
 *
 * @param server URL of the server; its path is not used
 * @param sent gets the address of each request, as it was meant
 * @example
 * const sent: string[] = []
 * keyedProvider(ACME, { secrets, outbound: outTo(server.url, sent) }, createAcmeModel)
 */
export function outTo(server: string, sent: string[] = []): Outbound {
  const { origin } = new URL(server)
  return {
    ...straightOut,
    fetch: () => (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      sent.push(url.href)
      return fetch(new URL(`${url.pathname}${url.search}`, origin), init)
    },
  }
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
