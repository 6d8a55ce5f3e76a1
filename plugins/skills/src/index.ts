import { definePlugin, PromptSections, Tools } from '@amodal/sdk'
import { z } from 'zod'
import { activateSkill } from './activate-skill.ts'
import { activeSection, summarisedSkills } from './active.ts'
import { haveFiles, readSkillFile } from './read-skill-file.ts'
import { fitsInline, skillSections } from './section.ts'

/** Shows the agent its skills: in full while they are few, else by name with a tool to read one. */
export const skills = definePlugin({
  name: 'skills',
  version: '0.1.0',
  config: z.object({
    inlineTokens: z
      .int()
      .min(0)
      .default(8_000)
      .describe('Tokens of all skills together up to which they stand in the prompt in full'),
  }),
  setup({ config: { inlineTokens }, add, hooks }) {
    add(PromptSections, 'skills', {
      sections: (bundle, tools) => skillSections(bundle, tools, inlineTokens),
    })
    add(Tools, 'skills', {
      tools: (bundle) => [
        ...(fitsInline(bundle, inlineTokens) ? [] : [activateSkill(bundle)]),
        ...(haveFiles(bundle) ? [readSkillFile(bundle)] : []),
      ],
    })
    hooks.prompt.compile.tap((draft, ctx) => {
      const lost = summarisedSkills(ctx)
      if (lost.length === 0 || fitsInline(ctx.bundle, inlineTokens)) return undefined
      return {
        ...draft,
        sections: [...draft.sections, { ...activeSection(lost, ctx.bundle), plugin: 'skills' }],
      }
    })
  },
})

export default skills
