import { err, trySync, type Failure, type Logger, type Result, type Token } from '@amodal/kernel'
import { failure } from '../errors.ts'
import { Outbound, type BoundOutbound } from '../ports/outbound.ts'
import { Secrets } from '../ports/secrets.ts'
import { matchesWildcard } from '../wildcard.ts'
import type { PackageCapabilities } from './capabilities.ts'

type Kind = 'hosts' | 'secrets' | 'tables' | 'routes'

/** Services that are held to what was granted. */
export interface Services {
  /** What fills a slot, checked where the slot leads outside; anything else as it is. */
  around(slot: Token, service: unknown): unknown
  bound(outbound: BoundOutbound): BoundOutbound
}

/** What one plugin may reach: what its package says, and what the agent's configuration names. */
export class Grants {
  readonly #plugin: string
  readonly #lists: Readonly<Record<Kind, readonly string[]>>
  readonly #log: Logger

  constructor(plugin: string, capabilities: PackageCapabilities, config: unknown, log: Logger) {
    const { hosts = [], secrets = [], tables = [], routes = [] } = capabilities
    const texts = textsIn(config)
    this.#plugin = plugin
    this.#log = log
    this.#lists = {
      hosts: [...hosts, ...texts.flatMap((text) => hostOf(text) ?? [])],
      secrets: [...secrets, ...texts.flatMap((text) => variableOf(text) ?? [])],
      tables,
      routes,
    }
  }

  allows(kind: Kind, name: string): boolean {
    const list = this.#lists[kind]
    return kind === 'routes'
      ? list.some((route) => name === route || name.startsWith(`${route}/`))
      : list.some((pattern) => matchesWildcard(pattern, name))
  }

  /** For readers of the log, and for the author. */
  refusal(kind: Kind, name: string): string {
    const line =
      kind === 'hosts' || kind === 'secrets'
        ? `adds \`reaches: { ${kind}: ['${name}'] }\` to its definition and runs`
        : 'runs'
    return `${this.#plugin} wants "${name}", which is not among the \`${kind}\` of its package.json: its author ${line} \`amodal plugins manifest --write\`, and you read what changed`
  }

  services(): Services {
    return {
      around: (slot, service) => {
        if (service === undefined) return service
        // what fills a slot is of its type
        if (slot.key === Outbound.key) return this.#outbound(service as Outbound)
        return slot.key === Secrets.key ? this.#secrets(service as Secrets) : service
      },
      bound: (outbound) => ({
        request: async (request) => this.#host(request.url) ?? outbound.request(request),
        fetch: (privateOrigin) => this.#fetch(outbound.fetch(privateOrigin)),
      }),
    }
  }

  #outbound(outbound: Outbound): Outbound {
    return {
      request: async (request) => this.#host(request.url) ?? outbound.request(request),
      fetch: (lease, privateOrigin) => this.#fetch(outbound.fetch(lease, privateOrigin)),
    }
  }

  #fetch(send: typeof fetch): typeof fetch {
    return async (input, init) => {
      const refused = this.#host(input instanceof Request ? input.url : String(input))
      if (refused !== undefined && !refused.ok)
        throw new Error(refused.error.message, { cause: refused.error })
      return send(input, init)
    }
  }

  /** Why a request may not be sent; `undefined` where it may. What is no URL is refused later. */
  #host(url: string): Result<never, Failure> | undefined {
    const host = hostOf(url)
    return host === undefined || this.allows('hosts', host)
      ? undefined
      : err(failure('OUTBOUND_REFUSED', this.refusal('hosts', host)))
  }

  #secrets(secrets: Secrets): Secrets {
    const may = (name: string): boolean => {
      if (this.allows('secrets', name)) return true
      this.#log.warn('plugin.secret_refused', { message: this.refusal('secrets', name) })
      return false
    }
    return {
      get: (name) => (may(name) ? secrets.get(name) : undefined),
      resolve: (text, where, kind) => {
        const name = variableOf(text)
        return name === undefined || may(name)
          ? secrets.resolve(text, where, kind)
          : err(failure('ENV_NOT_SET', `${where}: ${this.refusal('secrets', name)}`))
      },
      load: () => [`${this.#plugin} may not load variables`],
      values: () => [],
      protect: (value) => secrets.protect(value),
      mask: (text) => secrets.mask(text),
    }
  }
}

/** All texts of a configuration, however deep. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function hostOf(text: string): string | undefined {
  const url = trySync(
    () => new URL(text),
    () => undefined,
  )
  return url.ok && /^https?:$/.test(url.value.protocol) ? url.value.hostname : undefined
}

const variableOf = (text: string): string | undefined => /^env:(.+)$/.exec(text)?.[1]
