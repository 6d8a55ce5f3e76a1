import type { Command } from '@amodal/sdk'

/**
 * `amodal chat`: a conversation with the agent of a folder or of a server. Its code is loaded when
 * it runs, and that of its interface only on a terminal.
 */
export const chatCommand: Command = {
  summary: 'Talk to the agent in the terminal',
  usage:
    'amodal chat [message] [--url URL [--scope ID]] [--resume ID|latest] [--app-id ID] [--json] [--dir PATH]',
  about: [
    'On a terminal it is an interface: finished text goes into the scrollback, Esc stops the answer, /help lists the commands. Elsewhere, with',
    '--screen-reader and with a message on the command line it writes plain lines. Without --url it starts the agent of the folder on',
    '127.0.0.1. Exit code 1 if a turn fails or a question stays open; --resume continues it.',
  ],
  examples: [
    ['amodal chat --dir my-agent', 'a conversation with the agent of that folder'],
    ['amodal chat "What is open?"', 'one message'],
    ['amodal chat --resume latest', 'resumes the most recent session'],
    ['amodal chat --url http://127.0.0.1:3847', 'talks to a running server'],
    ['amodal chat "What is open?" --json', 'a JSON object per line, for scripts'],
  ],
  options: {
    url: {
      type: 'string',
      description: 'Talk to a running server, such as http://127.0.0.1:3847',
    },
    scope: {
      type: 'string',
      description: 'The tenant on a server; its key or token is in AMODAL_CREDENTIAL',
    },
    resume: { type: 'string', description: 'Resume a session: its id, or `latest`' },
    'app-id': {
      type: 'string',
      description: 'Tag sessions with this app, and list and resume only those of it',
    },
    config: { type: 'string', description: 'A snapshot of an agent (not available yet)' },
    fullscreen: {
      type: 'boolean',
      description: 'Use the whole screen, and leave the scrollback as it is',
    },
    json: { type: 'boolean', description: 'Print a JSON object per line' },
    'screen-reader': {
      type: 'boolean',
      description: 'Write plain lines, and never change one (or AMODAL_SCREEN_READER=1)',
    },
    'no-color': { type: 'boolean', description: 'Use no colours (or NO_COLOR=1)' },
  },
  run: async (context) => (await import('./chatting.ts')).chatting(context),
}
