import { z } from 'zod'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

const Notes = z.object({
  memories: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      origin: z.string(),
      from: z.string().optional(),
      noted_by: z.string().nullish(),
      created_at: z.union([z.string(), z.number()]),
    }),
  ),
  limit: z.number(),
})
const Removed = z.object({ removed: z.number() })

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/memory': {
    summary: 'lists what the agent keeps of whoever asks',
    responses: { 200: { about: 'All of them.', body: Notes } },
  },
  'DELETE /api/memory': {
    summary: 'removes all of it',
    responses: { 200: { about: 'They are removed.', body: Removed } },
  },
  'DELETE /api/memory/:id': {
    summary: 'removes one note',
    responses: { 200: { about: 'It is removed.', body: Removed } },
  },
}
