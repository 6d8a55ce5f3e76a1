import type { RouteDoc } from '@amodal/plugin-http/tokens'
import { z } from '@amodal/sdk/zod'

/**
 * The description of a route of a {@link WidgetView} for `GET /openapi.json`.
 *
 * @param summary what it shows, in one line
 * @param query schema that checks its query
 * @example describeRoutes(handler, { 'GET /api/studio/notes': widgetViewDoc('notes') })
 */
export const widgetViewDoc = (summary: string, query?: z.ZodObject): RouteDoc => ({
  summary,
  ...(query && { query }),
  responses: {
    200: {
      about: 'Widgets, as agents show them.',
      body: z.object({
        widgets: z.array(z.object({ widget_type: z.string(), data: z.looseObject({}) })),
      }),
    },
  },
})
