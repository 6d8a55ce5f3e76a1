import { definePlugin, defineTool, PromptSections } from '@amodal/sdk'
import { z } from 'zod'

/** Tells the agent what the office hours are, and lets it check a time against them. */
export const officeHours = definePlugin({
  name: 'office-hours',
  version: '1.0.0',
  provides: [PromptSections],
  config: z.object({
    opens: z.number().int().min(0).max(23).default(9),
    closes: z.number().int().min(1).max(24).default(17),
  }),
  setup({ config, add, addTool, hooks }) {
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
    addTool(
      defineTool({
        name: 'is_open',
        description: 'Says whether the office is open at an hour of the day.',
        readOnly: true,
        input: z.object({ hour: z.number().int().min(0).max(23).describe('Hour, 0 to 23') }),
        execute: ({ hour }) =>
          Promise.resolve({
            status: 'success',
            output: { open: hour >= config.opens && hour < config.closes },
          }),
      }),
    )
    // When it happens, and may I change it: every call of a write tool after hours needs a person.
    hooks.tool.guard.tap(
      (verdict, call) =>
        call.tool.readOnly
          ? undefined
          : verdict.raise('confirm', 'writes are confirmed by the office'),
      { stage: 'guard' },
    )
  },
})

export default officeHours
