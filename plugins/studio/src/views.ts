import type { RouteHandler } from '@amodal/sdk'
import { mayUse } from '@amodal/plugin-http/tokens'
import type { StudioView } from './tokens.ts'

/** `GET /api/studio/views`: the views of other plugins that whoever asks may look at. */
export const createViews = (views: () => ReadonlyMap<string, StudioView>): RouteHandler => ({
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
})
