import type { Command } from '@amodal/sdk'

/** `amodal build-manifest-types`: the agent's stores, tools and names as TypeScript. */
export const typesCommand: Command = {
  summary: 'Write TypeScript types of the agent',
  usage: 'amodal build-manifest-types [--dir PATH] [--out FILE] [--check]',
  about: [
    'Types of the documents of each store and of the arguments of each tool, and the names of skills, documents and connections:',
    'for handlers in tools/, and for programs that call the HTTP API. Run it again when the files of the agent change.',
  ],
  examples: [
    ['amodal build-manifest-types', 'writes amodal.d.ts beside amodal.json'],
    [
      'amodal build-manifest-types --check',
      'writes nothing; exit code 1 where the file is not up to date',
    ],
  ],
  options: {
    out: {
      type: 'string',
      description: 'File to write, in the folder of the agent; - prints it (amodal.d.ts)',
    },
    check: { type: 'boolean', description: 'Only say whether the file is up to date' },
  },
  run: async (context) => (await import('./write-types.ts')).writeTypes(context),
}
