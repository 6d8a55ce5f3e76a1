import type { Command } from '@amodal/sdk'

/** `amodal ops experiment`: what it takes to run is loaded when it runs. */
export const experimentCommand: Command = {
  summary: 'Compare variants of the agent: with evals, or by what came of them on a server',
  usage:
    'amodal ops experiment [NAME [--runs N] [--budget DOLLARS] | NAME --status | NAME --promote VARIANT | NAME --stop] [--url URL [--scope ID]] [--json]',
  about: [
    'Without a name: lists the experiments. With one: runs the evals once with each variant, on a changed copy of the agent folder, and compares them by case.',
    '--status shows what came of the share of principals who take part online, with its interval. --promote makes a variant the content of the agent folder,',
    'or, with --url, what all new sessions of a server get. --stop ends the experiment. Both are final.',
    'Exit code 0: done; 1: something failed, or a variant passes fewer cases than the control with certainty; 2: the command line is wrong; 130: interrupted.',
  ],
  examples: [
    ['amodal ops experiment', 'list the experiments'],
    ['amodal ops experiment shorter', 'run the evals once with each variant'],
    ['amodal ops experiment shorter --status --url https://agent.example', 'show the verdict'],
    ['amodal ops experiment shorter --promote brief', "write the variant into the agent's files"],
  ],
  options: {
    status: { type: 'boolean', description: 'Show the figures of the variants online' },
    promote: { type: 'string', description: 'The variant that everybody gets' },
    stop: { type: 'boolean', description: 'End the experiment' },
    runs: { type: 'string', description: 'Runs of each case with each variant (default 1)' },
    budget: { type: 'string', description: 'Dollars of a variant after which no case begins' },
    url: { type: 'string', description: 'A server that runs, such as http://127.0.0.1:3847' },
    scope: {
      type: 'string',
      description: 'Whose figures; of a server, the key for it stands in AMODAL_CREDENTIAL',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  run: async (context) => (await import('./run-experiment.ts')).runExperiment(context),
}
