import type { RouteHandler } from '@amodal/sdk'
import type { StudioView } from './tokens.ts'

/** `GET /api/studio/views`: the views of other plugins, for the page to show. */
export const createViews = (views: () => ReadonlyMap<string, StudioView>): RouteHandler => ({
  fetch: () =>
    Response.json({
      views: [...views()].map(([key, { title, route, refreshOn = [] }]) => ({
        key,
        title,
        route,
        refreshOn,
      })),
    }),
})
