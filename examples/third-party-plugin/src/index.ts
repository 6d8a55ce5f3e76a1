import { Commands, definePlugin, Migrations, PromptSections, TenantDatabase } from '@amodal/sdk'
import { z } from '@amodal/sdk/zod'
import { StudioViews } from '@amodal/plugin-studio/tokens'
import { notesCommand } from './command.ts'
import { NoteLeft, NoteTaken, OfficeClosed } from './kinds.ts'
import { isOpenTool, leaveNoteTool } from './tools.ts'
import { migrations } from './note.ts'
import { createRoutes } from './routes.ts'

const ROUTE = '/api/office-hours'

/** Tells the agent when the office is open, and keeps notes for it while it is. */
export const officeHours = definePlugin({
  name: 'office-hours',
  version: '1.0.0',
  requires: { database: TenantDatabase },
  errors: [OfficeClosed],
  events: [NoteTaken, NoteLeft],
  config: z.object({
    opens: z.int().min(0).max(23).default(9).describe('The hour at which the office opens'),
    closes: z.int().min(1).max(24).default(17).describe('The hour at which it closes'),
  }),
  setup({ config, deps, add, addTool, hooks, generation }) {
    add(PromptSections, 'office-hours', {
      sections: () => [
        {
          id: 'office-hours',
          title: 'Office hours',
          weight: 55,
          category: 'other',
          body: `The office is open from ${config.opens}:00 to ${config.closes}:00.`,
        },
      ],
    })
    addTool(isOpenTool(config))
    addTool(leaveNoteTool(config, deps.database))
    // When does it happen, and may I change it? Every write is confirmed by a person.
    hooks.tool.guard.tap(
      (verdict, call) =>
        call.tool.readOnly || call.tool.name === 'leave_note'
          ? undefined
          : verdict.raise('confirm', 'writes are confirmed by the office'),
      { stage: 'guard' },
    )
    add(Migrations, 'office-hours', migrations)
    hooks.http.routes.tap((routes) =>
      routes.mount(ROUTE, createRoutes(config, deps.database, generation)),
    )
    add(StudioViews, 'office-hours', {
      title: 'Office hours',
      route: ROUTE,
      refreshOn: [NoteLeft.type],
    })
    add(Commands, 'office-hours notes', notesCommand)
  },
})

export default officeHours
