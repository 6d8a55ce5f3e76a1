import type { RunContext } from '@amodal/sdk'
import { isBelow, KnownHosts } from './hosts.ts'
import type { Settings } from './settings.ts'
import type { LinkPolicy } from './tag-rules.ts'

/** Which hosts the texts of a run may lead to, by the rules of one configuration. */
export class Policies {
  readonly #settings: Settings
  /** By the scope of the run: what it has read of the conversation is released with it. */
  readonly #runs = new WeakMap<object, KnownHosts>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  of(ctx: RunContext): LinkPolicy {
    const known = this.#runs.get(ctx.scope) ?? new KnownHosts(this.#settings.hosts)
    this.#runs.set(ctx.scope, known)
    return {
      loads: (host) => this.#loads(host),
      knows: (host) => this.#loads(host) || known.has(host, ctx),
    }
  }

  /** A title is shown outside of runs: it has no links to judge. */
  get ofTitle(): LinkPolicy {
    return { loads: (host) => this.#loads(host) }
  }

  #loads(host: string): boolean {
    return this.#settings.image_hosts.some((one) => isBelow(host, one.toLowerCase()))
  }
}
