import type { Command } from '@amodal/sdk'

/**
 * `amodal test-query`: sends the agent one message and exits. Its code is loaded when it runs.
 */
export const queryCommand: Command = {
  summary: 'Ask the agent one thing, and show what it did',
  usage: 'amodal test-query MESSAGE [--url URL [--scope ID]] [--json] [--dir PATH]',
  about: [
    'Runs the agent of the folder with its current files: sessions and documents are stored in memory only,',
    'and a running server is not affected. Exit code 1 where the turn fails, or ends up waiting for a person.',
  ],
  examples: [
    ['amodal test-query "Which repairs are waiting?"', 'shows the tools it called, and its answer'],
    ['amodal test-query "Which repairs are waiting?" -q', 'prints the answer and nothing else'],
    [
      'amodal test-query "Which repairs are waiting?" --json',
      'prints what POST /chat/sync answers, for scripts',
    ],
  ],
  options: {
    url: { type: 'string', description: 'Ask a server that runs; the session stays there' },
    scope: {
      type: 'string',
      description: 'The tenant on a server; its key or token is in AMODAL_CREDENTIAL',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  run: async (context) => (await import('./querying.ts')).querying(context),
}
