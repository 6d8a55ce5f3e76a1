import { ok } from '@amodal/sdk'
import { editorSchema } from '@amodal/sdk/files'
import type { FileSchema, PartStarter } from '@amodal/plugin-repo-files/tokens'
import { shape } from './fields.ts'

/** `amodal add automation NAME`. */
export const automationStarter: PartStarter = {
  summary: 'work that starts by a schedule or a webhook',
  part: ({ name }) => {
    const automation = {
      title: name.replaceAll(/[_-]+/g, ' '),
      schedule: '0 8 * * 1-5',
      timezone: 'UTC',
      prompt: 'Sum up what has changed since {{since}}.',
    }
    return ok({
      files: [
        { path: `automations/${name}.json`, text: `${JSON.stringify(automation, undefined, 2)}\n` },
      ],
      next: [
        'Write when it runs (`schedule`, or `trigger` for a webhook), and what it does: `amodal docs let-it-work`',
        `Run it once: amodal ops automations trigger ${name}`,
      ],
    })
  },
}

/** `automations/*.json` for editors. */
export const automationSchema: FileSchema = {
  files: ['automations/*.json'],
  schema: () => editorSchema(shape, { title: 'Work that starts by a schedule or a webhook' }),
}
