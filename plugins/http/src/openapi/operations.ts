import type { MountedRoute } from '@amodal/sdk'
import { z } from 'zod'
import { matcherOf } from '../route-list.ts'
import { docsOf, type RouteDoc } from './route-docs.ts'

/** One method of one path, with what its plugin says of it. */
export interface Operation {
  readonly method: string
  /** As it was declared, with parameters such as `:id`. */
  readonly path: string
  /** `undefined` where its plugin does not describe it. */
  readonly doc: RouteDoc | undefined
  readonly route: MountedRoute
}

const HonoApp = z.looseObject({
  routes: z.array(z.looseObject({ method: z.string(), path: z.string() })),
})

/**
 * Every method of every path that the routes answer.
 *
 * @param routes the longest prefix first, so that a path belongs to the first that matches
 * @returns sorted by path and method
 */
export function operationsOf(routes: readonly MountedRoute[]): readonly Operation[] {
  const matching = routes.map((route) => ({ route, matches: matcherOf(route) }))
  return routes
    .flatMap((route) => declaredBy(route))
    .filter(({ path, route }) => matching.find(({ matches }) => matches(path))?.route === route)
    .toSorted((a, b) => textOrder(a.path, b.path) || textOrder(a.method, b.method))
}

const textOrder = (a: string, b: string): number => Number(a > b) - Number(a < b)

function declaredBy(route: MountedRoute): readonly Operation[] {
  const docs = Object.entries<RouteDoc>(docsOf(route.handler)).map(([name, doc]) => {
    const [method = '', path = ''] = name.split(' ')
    return { method, path, doc, route }
  })
  const { data } = HonoApp.safeParse(route.handler)
  if (data)
    return data.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => ({
        method,
        path,
        doc: docs.find((one) => one.method === method && one.path === path)?.doc,
        route,
      }))
  if (docs.length > 0) return docs
  return [{ method: 'GET', path: route.prefix, doc: undefined, route }]
}
