import { defineTool } from '@amodal/sdk'
import { z } from 'zod'

/** Ends the turn once the calls of this step have finished, without another model call. */
export const stopExecution = defineTool({
  name: 'stop_execution',
  description: 'Ends this turn now. Use it when the task is done and nothing more is to be said.',
  readOnly: true,
  internal: true,
  input: z.object({ reason: z.string().optional().describe('Why the turn ends, for the log') }),
  execute: async ({ reason }) => ({
    status: 'success',
    output: { stopped: true, ...(reason === undefined ? {} : { reason }) },
    ends: true,
  }),
})
