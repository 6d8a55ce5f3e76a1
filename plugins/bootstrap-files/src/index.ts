import { definePlugin, PromptSections } from '@amodal/sdk'
import { z } from 'zod'
import { chosen, sectionOf } from './files.ts'

/**
 * Shows the model the agent's bootstrap files: `AGENTS.md`, `SOUL.md` and their like, which other
 * engines know, too.
 */
export const bootstrapFiles = definePlugin({
  name: 'bootstrap-files',
  version: '0.1.0',
  config: z.strictObject({
    maxChars: z.int().positive().default(50_000).describe('Characters of one file'),
    maxTotalChars: z
      .int()
      .positive()
      .default(200_000)
      .describe('Characters of all of them together'),
  }),
  setup({ config, add, hooks }) {
    add(PromptSections, 'bootstrap-files', {
      sections: (bundle) => sectionOf(chosen(bundle, config).files),
    })
    hooks.bundle.check.tap((bundle, issues) => {
      issues.push(...chosen(bundle, config).issues)
    })
  },
})

export default bootstrapFiles
