import type { Command } from '@amodal/sdk'

/**
 * `amodal chat`: a conversation with the agent of a folder or of a server. Its code is loaded when
 * it runs.
 */
export const chatCommand: Command = {
  summary: 'Talk to the agent in the terminal',
  usage: 'amodal chat [message] [--url URL [--scope ID]] [--resume ID|latest] [--dir PATH]',
  about: [
    'Streams the answer, shows the tools that are called, and asks where the agent asks. Without a message it is a conversation: type, and',
    '/help lists the other commands. Exit code 1 if the turn fails or a question stays open; --resume continues it.',
  ],
  examples: [
    ['amodal chat --dir my-agent', 'a conversation with the agent of that folder'],
    ['amodal chat "What is open?"', 'one message'],
    ['amodal chat --resume latest', 'resumes the most recent session'],
    ['amodal chat --url http://127.0.0.1:3847', 'talks to a running server'],
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
  },
  run: async (context) => (await import('./chatting.ts')).chatting(context),
}
