import { z } from 'zod'

const id = z.string().min(1).max(100)

export const DiffQuery = z
  .strictObject({
    run: id.optional().describe('A run: what it changed'),
    from: id.optional().describe('A snapshot; default: what the workspace began with'),
    to: id.optional().describe('A snapshot; default: the newest'),
  })
  .refine(({ run, from, to }) => run === undefined || (from === undefined && to === undefined), {
    message: 'takes either `run`, or `from` and `to`',
  })

export const UndoBody = z.strictObject({
  run: id.optional().describe('Default: the newest run that changed something'),
})
