import type { Command } from '@amodal/sdk'

/** `amodal replay`: what it takes is loaded when it runs. */
export const replayCommand: Command = {
  summary: 'Repeat a conversation from its journal, as it is or with a changed agent',
  usage:
    'amodal replay SESSION [SESSION…] [--with CHANGE]… [--sessions QUERY [--limit N]] [--steps N] [--tenant ID] [--json]',
  about: [
    'The messages are sent once more, in memory, to the agent of this folder as it is now. Model, tools and people answer as they did:',
    'no model is asked, no tool is called. The journal that comes of it is compared with the recorded one, and the first entry that differs is named.',
    'With --with, a copy of the folder is changed: skill=FILE, prompt=FILE, knowledge=FILE, model=NAME, commit=SHA, settings=FILE.json (several).',
    'The record answers until the changed agent sends its model something else: that place is named, with the file and its line. From there the real model is asked.',
    'Nothing outside is read or changed: calls of the record have its results, others are refused. What the model then did stands next to what is recorded.',
    'Reads the database of the folder; with an embedded database, stop the server first. Exit code 0: the same; 1: something differs or failed; 2: the command line is wrong.',
  ],
  examples: [
    ['amodal replay sess_4f1c', 'does the agent still do the same?'],
    ['amodal replay sess_4f1c --with skill=drafts/refunds.md', 'what would this skill change?'],
    [
      'amodal replay --sessions "refund since=7d" --limit 50 --with model=openai/gpt-5.2-mini',
      'many conversations with another model',
    ],
  ],
  options: {
    with: {
      type: 'string',
      multiple: true,
      description: 'A change of the agent, such as skill=drafts/refunds.md; several',
    },
    sessions: {
      type: 'string',
      description:
        'Replay many: all, words, since=7d, automation=NAME, tag=NAME; several in one text',
    },
    limit: { type: 'string', description: 'Sessions that --sessions finds; 20 by default' },
    steps: {
      type: 'string',
      description: 'Requests that the real model answers for each session; 20 by default',
    },
    tenant: { type: 'string', description: 'Whose sessions; the local one where it is left out' },
    json: { type: 'boolean', description: 'Print JSON: one line for each session' },
  },
  run: async (context) => (await import('./replay-sessions.ts')).replaySessions(context),
}
