import type { RouteHandler } from '@amodal/sdk'
import { describeRoutes, mayUse, type RouteDoc } from '@amodal/plugin-http/tokens'
import { z } from '@amodal/sdk/zod'
import type { StudioView } from './tokens.ts'

const VIEWS: RouteDoc = {
  summary: 'the views that other plugins add to the studio',
  responses: {
    200: {
      about: 'Those that the caller may look at.',
      body: z.object({
        views: z.array(
          z.object({
            key: z.string(),
            title: z.string(),
            icon: z.string().optional(),
            built_in: z.string().optional(),
            route: z.string().optional(),
            refreshOn: z.array(z.string()).optional(),
          }),
        ),
      }),
    },
  },
}

/** `GET /api/studio/views`: the views of other plugins that whoever asks may look at. */
export const createViews = (views: () => ReadonlyMap<string, StudioView>): RouteHandler =>
  describeRoutes(
    {
      fetch: (_request, { identity }) => {
        const isOffered = ({ scope }: StudioView): boolean =>
          scope === undefined || (identity !== undefined && mayUse(identity, scope))
        return Response.json({
          views: [...views()]
            .filter(([, view]) => isOffered(view))
            .map(([key, view]) => ({
              key,
              title: view.title,
              ...(view.icon !== undefined && { icon: view.icon }),
              ...('builtIn' in view
                ? { built_in: view.builtIn }
                : { route: view.route, refreshOn: view.refreshOn ?? [] }),
            })),
        })
      },
    },
    { 'GET /api/studio/views': VIEWS },
  )
