import { defineRuntimeEvent } from '@amodal/sdk'
import { z } from 'zod'

/** Emitted for everybody: the list of pages differs from the one before. */
export const PagesChanged = defineRuntimeEvent({
  type: 'pages.changed',
  about: 'A page of the agent was edited, or an edit of one is broken: see `GET /api/pages`.',
  data: z.object({ problems: z.number() }),
})
