import { deadline, err, messageOf, ok, type Plugin } from '@amodal/kernel'
import { defined } from '../defined.ts'
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
  async request({ url, method, headers, body, timeoutMs = 30_000, signal }) {
    const limit = deadline(signal, timeoutMs)
    try {
      const init = { method, signal: limit.signal, ...defined({ headers, body }) }
      const response = await fetch(url, init as RequestInit) // a body of bytes is one
      const bytes = new Uint8Array(await response.arrayBuffer())
      return ok({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: bytes,
        text: () => new TextDecoder().decode(bytes),
      })
    } catch (cause) {
      const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
      return err(failure('OUTBOUND_REFUSED', messageOf(reason), { details: { reason: 'network' } }))
    } finally {
      limit.clear()
    }
  },
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
