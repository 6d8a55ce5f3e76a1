import type { Command, Inspector } from '@amodal/sdk'

/** `amodal plugins doctor` */
export const doctorCommand = (inspector: Inspector): Command => ({
  summary: 'Check the plugins that amodal.json lists',
  usage: 'amodal plugins doctor [--json] [--dir PATH]',
  about: [
    'Whether each package is installed, fits this amodal, is what was accepted, and does what it says; whether its secrets are set and the libraries that it shares are there once; and whether the agent starts. Works without a network.',
    'Each finding has a code and the next step. Exit code 1 where one is an error; warnings alone leave it at 0.',
  ],
  examples: [
    ['amodal plugins doctor --dir my-agent', 'every problem, with what to do'],
    ['amodal plugins doctor --json', 'the same as data, for a build server'],
  ],
  options: { json: { type: 'boolean', description: 'Print the findings as JSON' } },
  run: async (context) => (await import('./diagnose.ts')).diagnose(context, inspector),
})
