import {
  hooksOf,
  PluginError,
  Tenancy,
  type Generation,
  type Logger,
  type MountedRoute,
} from '@amodal/sdk'
import type { AdmissionControl } from './admission-control.ts'
import { createApp, type App, type AppOptions } from './app.ts'
import { RouteList } from './route-list.ts'

/** The routes of one generation. */
export interface Mounted {
  readonly app: App
  /** The longest prefix first. */
  readonly routes: readonly MountedRoute[]
}

interface Parts {
  /** The plugin that reports problems. */
  readonly name: string
  readonly log: Logger
  readonly generation: () => Generation
  readonly admissionOf: (generation: Generation) => AdmissionControl
  readonly limits: Pick<AppOptions, 'maxBodyBytes' | 'answerTimeoutMs'>
}

/**
 * Returns the routes of the current generation, built on the first call.
 *
 * @returns a function that reports to `problem` what is wrong with them
 */
export function mountedRoutes({
  name,
  log,
  generation,
  admissionOf,
  limits,
}: Parts): (problem: (error: PluginError) => void) => Mounted {
  const byGeneration = new WeakMap<object, Mounted>()
  return (problem) => {
    const current = generation()
    const known = byGeneration.get(current)
    if (known) return known
    const { routes } = hooksOf(current).http
    const list = new RouteList(() => routes.running ?? 'a plugin')
    const called = routes.call(list)
    if (!called.ok) problem(called.error)
    list.clashes.forEach((clash) =>
      problem(new PluginError(name, 'boot', 'http.routes', new Error(clash), 'DUPLICATE_NAME')),
    )
    const sorted = list.sorted()
    const created: Mounted = {
      app: createApp(sorted, {
        ...limits,
        admission: admissionOf(current),
        tenancy: () => current.scope.find(Tenancy),
        log,
      }),
      routes: sorted,
    }
    byGeneration.set(current, created)
    return created
  }
}
