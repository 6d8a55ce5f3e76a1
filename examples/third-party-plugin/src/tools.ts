import { defineTool, type ToolDefinition } from '@amodal/sdk'
import { z } from '@amodal/sdk/zod'
import { NoteTaken } from './kinds.ts'
import { isOpen, leave, type DatabaseOf, type Hours } from './note.ts'

const hour = z.int().min(0).max(23).describe('Hour of the day, 0 to 23')

export const isOpenTool = (hours: Hours): ToolDefinition =>
  defineTool({
    name: 'is_open',
    description: 'Says whether the office is open at an hour of the day.',
    readOnly: true,
    input: z.object({ hour }),
    execute: async (asked) => ({
      status: 'success',
      output: { open: isOpen(hours, asked.hour) },
    }),
  })

export const leaveNoteTool = (hours: Hours, databaseOf: DatabaseOf): ToolDefinition =>
  defineTool({
    name: 'leave_note',
    description: 'Leaves a note for the office at an hour at which it is open.',
    readOnly: false,
    keyed: true, // the key of the call is the key of the row: a repetition changes nothing
    input: z.object({ hour, text: z.string().min(1) }),
    execute: async ({ hour: at, text }, ctx) => {
      const left = await leave(databaseOf(ctx), hours, { key: ctx.key, hour: at, text }, ctx.signal)
      return left.ok
        ? { status: 'success', output: 'noted', events: [NoteTaken({ text })] }
        : { status: 'error', code: left.error.code, message: left.error.message }
    },
  })
