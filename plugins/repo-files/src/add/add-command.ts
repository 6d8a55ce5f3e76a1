import type { Command, CommandOption, Generation } from '@amodal/sdk'
import { PartStarters } from '../tokens.ts'

/** `amodal add`: writes a small correct part of an agent. */
export const addCommand = (generation: () => Generation): Command => ({
  summary: 'Add a part to an agent',
  usage: 'amodal add KIND NAME',
  // plugins add kinds after this command was registered
  get about() {
    return [
      'Writes a small part that works, to be changed afterwards, and checks the agent with it. Files that exist are never overwritten.',
      ...[...generation().registry(PartStarters)].map(
        ([kind, { summary }]) => `${kind.padEnd(WIDTH)}  ${summary}`,
      ),
    ]
  },
  examples: [
    ['amodal add store tickets', 'writes stores/tickets.json'],
    ['amodal add connection crm --openapi crm.yaml', 'with its API document and access.json'],
  ],
  get options() {
    const options: Record<string, CommandOption> = {}
    for (const [, starter] of generation().registry(PartStarters))
      Object.assign(options, starter.options)
    return options
  },
  run: async (context) => (await import('./add.ts')).addPart(context, generation()),
})

/** Characters of the longest kind. */
const WIDTH = 10
