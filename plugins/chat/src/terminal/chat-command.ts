import type { Command } from '@amodal/sdk'

/**
 * `amodal chat`: talks to the agent of a folder, or to a server. What it takes to talk is loaded
 * with the first word.
 */
export const chatCommand: Command = {
  summary: 'Talk to the agent in the terminal',
  usage: 'amodal chat [message] [--url URL [--scope ID]] [--resume ID|latest] [--dir PATH]',
  about: [
    'Streams the answer, shows the tools that are called, and asks where the agent asks. Without a message it is a conversation: type, and',
    '/help says what else there is. Exit code 1 where the turn fails or a question stays open; --resume goes on there.',
  ],
  examples: [
    ['amodal chat --dir my-agent', 'a conversation with the agent of that folder'],
    ['amodal chat "What is open?"', 'one message'],
    ['amodal chat --resume latest', 'goes on with the session that was used last'],
    ['amodal chat --url http://127.0.0.1:3847', 'talks to a server that runs'],
  ],
  options: {
    url: {
      type: 'string',
      description: 'Talk to a server that runs, such as http://127.0.0.1:3847',
    },
    scope: {
      type: 'string',
      description: 'Whose data, on a server; the key or token for it stands in AMODAL_CREDENTIAL',
    },
    resume: { type: 'string', description: 'Go on with a session: its id, or `latest`' },
  },
  run: async (context) => (await import('./chatting.ts')).chatting(context),
}
