import type { Command } from '@amodal/sdk'

/** `amodal replay`: what it takes is loaded when it runs. */
export const replayCommand: Command = {
  summary: 'Repeat a conversation from its journal, and name the first entry that differs',
  usage: 'amodal replay SESSION [SESSION…] [--tenant ID] [--json]',
  about: [
    'The messages are sent once more, in memory, to the agent of this folder as it is now. Model, tools and people answer as they did:',
    'no model is asked, no tool is called. The journal that comes of it is compared with the recorded one.',
    'Reads the database of the folder; with an embedded database, stop the server first. Exit code 0: the same; 1: something differs.',
  ],
  examples: [['amodal replay sess_4f1c', 'does the agent still do the same?']],
  options: {
    tenant: { type: 'string', description: 'Whose sessions; the local one where it is left out' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  run: async (context) => (await import('./replay-sessions.ts')).replaySessions(context),
}
