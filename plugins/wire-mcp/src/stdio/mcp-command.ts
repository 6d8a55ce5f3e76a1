import type { Command } from '@amodal/sdk'

/** `amodal mcp`: the agent for MCP clients that start a process. */
export const mcpCommand: Command = {
  summary: 'Serve the agent to an MCP client, over stdin and stdout',
  usage: 'amodal mcp [--url URL [--scope ID]] [--dir PATH]',
  about: [
    'Started by the client. It serves the agent of the folder in this process; with --url it passes messages on to a server that runs.',
    'Nothing but messages of the protocol is written to stdout.',
  ],
  examples: [
    ['amodal mcp --dir my-agent', 'the command line that stands in the configuration of a client'],
    ['amodal mcp --url http://127.0.0.1:3847', 'for the agent of a server'],
  ],
  options: {
    url: { type: 'string', description: 'A server that runs, such as http://127.0.0.1:3847' },
    scope: {
      type: 'string',
      description: 'Whose data, on a server; the key or token for it stands in AMODAL_CREDENTIAL',
    },
  },
  run: async (context) => (await import('./serving.ts')).serving(context),
}
