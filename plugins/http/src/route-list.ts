import type { MountedRoute, RouteTable } from '@amodal/sdk'

const PREFIX = /^\/$|^(?:\/[\w.~-]+)+$/

/** What plugins mounted in one generation. */
export class RouteList implements RouteTable {
  /** Prefixes that two plugins mounted; the first one has it. */
  readonly clashes: string[] = []
  readonly #routes = new Map<string, MountedRoute>()
  readonly #mounting: () => string

  /** @param mounting the plugin that mounts now */
  constructor(mounting: () => string) {
    this.#mounting = mounting
  }

  mount(prefix: string, handler: MountedRoute['handler'], options: MountedRoute['options'] = {}): void {
    const plugin = this.#mounting()
    if (!PREFIX.test(prefix)) throw new Error(`"${prefix}" is no prefix to mount at: write a plain path such as /notes`)
    const there = this.#routes.get(prefix)
    if (there) this.clashes.push(`${there.plugin} and ${plugin} both mount ${prefix}: one of them must take another prefix`)
    else this.#routes.set(prefix, { prefix, handler, options, plugin })
  }

  /** The longest prefix first, so that the first that matches is the right one. */
  sorted(): readonly MountedRoute[] {
    return [...this.#routes.values()].sort((a, b) => b.prefix.length - a.prefix.length)
  }
}
