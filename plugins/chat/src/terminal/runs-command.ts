import type { Command } from '@amodal/sdk'

/** `amodal ops runs`: runs that need a decision of a person. Its code is loaded when it runs. */
export const runsCommand: Command = {
  summary: 'List runs that were set aside and effects of unknown outcome, and decide about them',
  usage:
    'amodal ops runs [list | retry ID|all | end ID | settle ID CALL happened|not_happened|retry] [--url URL [--scope ID]] [--json] [--dir PATH]',
  about: [
    'A run that stops its server again and again is set aside, so that others go on: `retry` continues it, `end` ends it. An effect that was',
    'under way when its server stopped may have happened: look at its target, then say so, or have it made again under its idempotency key.',
  ],
  examples: [
    ['amodal ops runs', 'lists them, with the calls and their keys'],
    [
      'amodal ops runs retry sess_1f0c --url http://127.0.0.1:3847',
      'continues a run on a server that runs',
    ],
    [
      'amodal ops runs settle sess_1f0c call_7 happened',
      'tells the agent that an effect did happen',
    ],
  ],
  options: {
    url: {
      type: 'string',
      description: 'A running server; default: the agent of the folder, if no server runs there',
    },
    scope: {
      type: 'string',
      description: 'The tenant on a server; its key or token is in AMODAL_CREDENTIAL',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  run: async (context) => (await import('./deciding.ts')).deciding(context),
}
