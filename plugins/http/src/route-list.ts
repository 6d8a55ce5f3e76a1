import type { MountedRoute, RouteOptions, RouteTable } from '@amodal/sdk'

const PREFIX = /^\/$|^(?:\/:?[\w.~-]+)+$/

/** A route as its plugin mounted it: its scope may be that of a parent route. */
type Mount = Omit<MountedRoute, 'options'> & { readonly options: RouteOptions }

/** The routes that plugins mounted in one generation. */
export class RouteList implements RouteTable {
  /** Prefixes that two plugins mounted; the first mount is served. */
  readonly clashes: string[] = []
  readonly #routes = new Map<string, Mount>()
  readonly #currentPlugin: () => string

  /** @param currentPlugin returns the plugin that is mounting */
  constructor(currentPlugin: () => string) {
    this.#currentPlugin = currentPlugin
  }

  mount(prefix: string, handler: MountedRoute['handler'], options: RouteOptions = {}): void {
    const plugin = this.#currentPlugin()
    if (!PREFIX.test(prefix))
      throw new Error(
        `"${prefix}" is not a prefix to mount at: use a path such as /notes or /sessions/:id/notes`,
      )
    const existing = this.#routes.get(prefix)
    if (existing)
      this.clashes.push(
        `${existing.plugin} and ${plugin} both mount ${prefix}: one of them must use another prefix`,
      )
    else this.#routes.set(prefix, { prefix, handler, options, plugin })
  }

  /** The longest prefix first, so that the first that matches is the right one. */
  sorted(): readonly MountedRoute[] {
    return [...this.#routes.values()]
      .map((route) => ({ ...route, options: { ...route.options, scope: this.#scopeOf(route) } }))
      .sort((a, b) => weightOf(b) - weightOf(a) || b.prefix.length - a.prefix.length)
  }

  /**
   * The scope that a credential needs: the route's own, else that of the nearest parent route,
   * else the name of the plugin.
   */
  #scopeOf({ prefix, options, plugin }: Mount): string {
    if (options.scope !== undefined) return options.scope
    for (let at = prefix.lastIndexOf('/'); at > 0; at = prefix.lastIndexOf('/', at - 1)) {
      const parent = this.#routes.get(prefix.slice(0, at))
      if (parent) return this.#scopeOf(parent)
    }
    return plugin
  }
}

/** More segments win over fewer, and a literal segment wins over a parameter. */
const weightOf = ({ prefix }: MountedRoute): number => {
  const segments = prefix.split('/').filter((segment) => segment !== '')
  return segments.length + segments.filter((segment) => !segment.startsWith(':')).length / 100
}

/**
 * Whether a path lies at or below a prefix. A segment such as `:id` stands for any one that is not
 * empty.
 */
export function matcherOf({ prefix, options: { exact } }: MountedRoute): (path: string) => boolean {
  if (!prefix.includes('/:'))
    return (path) =>
      path === prefix ||
      (exact !== true && path.startsWith(prefix) && (prefix === '/' || path[prefix.length] === '/'))
  const parts = prefix.split('/')
  return (path) => {
    const given = path.split('/')
    return (
      (exact === true ? given.length === parts.length : given.length >= parts.length) &&
      parts.every((part, at) => (part.startsWith(':') ? given[at] !== '' : given[at] === part))
    )
  }
}
