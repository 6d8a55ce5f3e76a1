import type { Command } from '@amodal/sdk'

/** `amodal eval promote`: what it takes to promote is loaded when it runs. */
export const promoteCommand: Command = {
  summary: 'Make eval cases of conversations that happened, with stubs and without personal data',
  usage:
    'amodal eval promote SESSION… [--at SEQ] [--name NAME] [--out FILE] [--url URL [--scope ID]] [--dry-run] [--force]',
  about: [
    'Messages become the turns of a case, what tools gave becomes its stubs, and what is the same each time becomes its checks. Secrets, values of fields that',
    'access.json restricts, e-mail addresses, numbers of phones, cards and accounts, and IP addresses are replaced: the same value by the same stand-in everywhere.',
    'What was replaced is listed, never the value. Look at the file before you commit it: names and places in running text are not recognised.',
    'Exit code 0: all are written; 1: one could not be promoted, or its file is there; 2: the command line is wrong.',
  ],
  examples: [
    ['amodal eval promote sess_1f0c', 'writes evals/NAME.yaml'],
    ['amodal eval promote sess_1f0c --at 12 --name refund', 'up to the turn that has entry 12'],
    ['amodal eval promote --rating down', 'makes cases of the answers that people rated as bad'],
    ['amodal eval promote sess_1f0c --dry-run', 'shows what would be replaced, and writes nothing'],
  ],
  options: {
    at: { type: 'string', description: 'An entry of the journal: its turn is the last one' },
    name: { type: 'string', description: 'Name of the case and its file, of one session' },
    out: { type: 'string', description: 'Another file than evals/NAME.yaml, of one session' },
    rating: { type: 'string', description: 'Answers that people rated so: up or down' },
    from: { type: 'string', description: 'Of rated answers: those since this day or time' },
    limit: { type: 'string', description: 'Most rated answers (20), the newest first' },
    url: { type: 'string', description: 'A server that runs and has the session' },
    scope: {
      type: 'string',
      description: 'Whose session; of a server, the key for it stands in AMODAL_CREDENTIAL',
    },
    'dry-run': { type: 'boolean', description: 'Write nothing' },
    force: { type: 'boolean', description: 'Overwrite a file that is there' },
  },
  run: async (context) => (await import('./promoting.ts')).promoting(context),
}
