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

  mount(
    prefix: string,
    handler: MountedRoute['handler'],
    options: MountedRoute['options'] = {},
  ): void {
    const plugin = this.#mounting()
    if (!PREFIX.test(prefix))
      throw new Error(`"${prefix}" is no prefix to mount at: write a plain path such as /notes`)
    const there = this.#routes.get(prefix)
    if (there)
      this.clashes.push(
        `${there.plugin} and ${plugin} both mount ${prefix}: one of them must take another prefix`,
      )
    else this.#routes.set(prefix, { prefix, handler, options, plugin })
  }

  /** The longest prefix first, so that the first that matches is the right one. */
  sorted(): readonly MountedRoute[] {
    return [...this.#routes.values()]
      .map((route) => ({ ...route, options: { ...route.options, scope: this.#scopeOf(route) } }))
      .sort((a, b) => b.prefix.length - a.prefix.length)
  }

  /**
   * What a credential must be good for: what the route says, else what the one says that it lies
   * under, else its plugin's name.
   */
  #scopeOf({ prefix, options, plugin }: MountedRoute): string {
    if (options.scope !== undefined) return options.scope
    for (let at = prefix.lastIndexOf('/'); at > 0; at = prefix.lastIndexOf('/', at - 1)) {
      const above = this.#routes.get(prefix.slice(0, at))
      if (above) return this.#scopeOf(above)
    }
    return plugin
  }
}
