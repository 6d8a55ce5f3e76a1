import {
  messageOf,
  ok,
  silentLogger,
  trySync,
  type Generation,
  type Plugin,
  type PluginApi,
  type Registry,
  type Result,
  type Tap,
} from '@amodal/kernel'
import { z } from 'zod'
import type { MountedRoute, RouteOptions } from '../ports/routes.ts'

/** What the `setup` of a plugin registers. */
export interface Declarations {
  readonly plugin: string
  readonly taps: readonly { readonly hook: string; readonly fn: Tap['fn'] }[]
  readonly entries: readonly {
    readonly registry: string
    readonly key: string
    readonly value: unknown
  }[]
}

/** A path that a plugin answers. */
export interface DeclaredRoute {
  /** `*` where the handler alone knows: it is no Hono app. */
  readonly method: string
  readonly path: string
  /** Where its handler is mounted. */
  readonly prefix: string
  readonly handler: MountedRoute['handler']
  readonly options: RouteOptions
}

/**
 * What a plugin registers, found out by its `setup`, which registers and does no I/O: no service is
 * there while it runs.
 *
 * @param given a config that its schema takes
 * @returns a sentence where its schema takes no such config, or its `setup` throws
 * @example
 * const declared = declarationsOf(memory, {})
 */
export function declarationsOf(plugin: Plugin, given: unknown): Result<Declarations, string> {
  const taps: Declarations['taps'][number][] = []
  const entries: Declarations['entries'][number][] = []
  const nothing = (): void => undefined
  const config = trySync(
    () => plugin.config?.parse(given) ?? {},
    (cause) => `its config has to be given (--config): ${messageOf(cause)}`,
  )
  if (!config.ok) return config
  const api: PluginApi = {
    name: plugin.name,
    config: config.value,
    deps: anything,
    log: silentLogger,
    tap: (hook, fn) => void taps.push({ hook: hook.name, fn }),
    provide: nothing,
    add: (registry, key, value) => void entries.push({ registry: registry.id, key, value }),
    decorate: nothing,
    onBoot: nothing,
    onDispose: nothing,
    generation: () => anything as Generation, // it stands for that, too
  }
  return trySync(
    () => {
      plugin.setup(api)
      return { plugin: plugin.name, taps, entries }
    },
    (cause) => `its setup failed: ${messageOf(cause)}`,
  )
}

/** The entries that a plugin adds to a registry, by their keys. */
export const entriesOf = <T>(
  { entries }: Declarations,
  { id }: Registry<T>,
): ReadonlyMap<string, T> =>
  new Map(
    entries
      .filter(({ registry }) => registry === id)
      // `add` takes nothing else for this registry
      .map(({ key, value }) => [key, value as T]),
  )

/**
 * The paths that a plugin mounts, with the methods of each. A handler that is no Hono app answers
 * its prefix with methods of its own choice.
 *
 * @returns a sentence where its tap of `http.routes` throws
 */
export function routesOf(declared: Declarations): Result<readonly DeclaredRoute[], string> {
  const mounts = mountsOf(declared)
  if (!mounts.ok) return mounts
  return ok(
    mounts.value.flatMap(({ prefix, handler, options }) => {
      const own = pathsOf(handler).filter(
        ({ path }) => path === prefix || (options.exact !== true && path.startsWith(`${prefix}/`)),
      )
      const all = own.length > 0 ? own : [{ method: '*', path: prefix }]
      return all.map((route) => ({ ...route, prefix, handler, options }))
    }),
  )
}

/** A handler that a plugin mounts. */
type DeclaredMount = Pick<MountedRoute, 'prefix' | 'handler'> & { readonly options: RouteOptions }

/**
 * The handlers that a plugin mounts, with their prefixes.
 *
 * @returns a sentence where its tap of `http.routes` throws
 */
function mountsOf({ taps }: Declarations): Result<readonly DeclaredMount[], string> {
  const routes: DeclaredMount[] = []
  const mount = (
    prefix: string,
    handler: MountedRoute['handler'],
    options: RouteOptions = {},
  ): void => void routes.push({ prefix, handler, options })
  return trySync(
    () => {
      for (const { hook, fn } of taps) if (hook === 'http.routes') fn({ mount })
      return routes
    },
    (cause) => `its routes cannot be listed: ${messageOf(cause)}`,
  )
}

const HonoApp = z.looseObject({
  routes: z.array(z.looseObject({ method: z.string(), path: z.string() })),
})

/** Routes of a Hono app, without those for every method, which refuse the others. */
function pathsOf(handler: object): readonly { readonly method: string; readonly path: string }[] {
  const { data: { routes } = { routes: [] } } = HonoApp.safeParse(handler)
  return routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, path }))
}

/** A stand-in for every service: its properties and its calls return the stand-in itself. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_target, key) => (key === 'then' ? undefined : anything),
  apply: () => anything,
})
