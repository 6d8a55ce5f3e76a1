import { err, ok } from '@amodal/sdk'
import type { PartStarter } from '@amodal/plugin-repo-files/tokens'

/** `amodal add tool NAME`. */
export const toolStarter: PartStarter = {
  summary: 'a function of your own that the model can call',
  part: ({ name }) => {
    if (name.includes('-'))
      return err(`a tool's name has "_" in place of "-": ${name.replaceAll('-', '_')}`)
    const definition = {
      description: 'What it does, and when to use it.',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to count' } },
        required: ['text'],
        additionalProperties: false,
      },
      readOnly: true,
    }
    return ok({
      files: [
        { path: `tools/${name}/tool.json`, text: `${JSON.stringify(definition, undefined, 2)}\n` },
        { path: `tools/${name}/handler.ts`, text: HANDLER },
      ],
      next: [
        `Write what it does in tools/${name}/handler.ts; what it may call: \`amodal docs write-an-agent#tools-of-your-own\``,
      ],
    })
  },
}

const HANDLER = `import type { HandlerContext } from '@amodal/sdk'

export default async ({ text }: { text: string }, ctx: HandlerContext) => {
  ctx.log('counting')
  return { characters: text.length }
}
`
