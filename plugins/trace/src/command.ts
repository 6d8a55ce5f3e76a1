import { timeLimit, type Command, type CommandContext } from '@amodal/sdk'
import { askRoutes, errorLine } from '@amodal/plugin-http/tokens'
import { traceLines, type Page } from './command-lines.ts'
import { TraceRoutes } from './tokens.ts'

/** ms for one page. */
const PAGE_MS = 60_000
const PAGE = 1_000

/** `amodal trace SESSION`. */
export const traceCommand: Command = {
  summary: 'Print what a session did, step by step',
  usage: 'amodal trace SESSION [--errors] [--url URL [--scope ID]] [--json] [--dir PATH]',
  about: [
    'One line for each message, model call, tool call, approval and sub-agent, with its time, tokens and cost. Works on the data of the agent folder, or with --url on a running server. With an embedded database a running server has the folder to itself: give its address.',
  ],
  examples: [
    ['amodal trace sess_1f0c', 'prints the steps of a session'],
    [
      'amodal trace sess_1f0c --errors --url http://127.0.0.1:3847',
      'prints what failed, was refused or has an unknown outcome',
    ],
  ],
  options: {
    errors: { type: 'boolean', description: 'Only what failed, was refused or is unknown' },
    url: { type: 'string', description: 'A running server, such as http://127.0.0.1:3847' },
    scope: { type: 'string', description: 'Whose session, where there are several tenants' },
    json: { type: 'boolean', description: 'Print the rows as JSON, one page a line' },
  },
  async run(context) {
    const [session] = context.arguments
    if (session === undefined) {
      context.fail('name a session: amodal trace SESSION')
      return 2
    }
    const ask = await askRoutes(context, (kernel) => kernel.scope.get(TraceRoutes).routes)
    for (let after: number | null = 0; after !== null;) {
      const path = `/sessions/${encodeURIComponent(session)}/trace?limit=${PAGE}&after=${after}`
      const limit = timeLimit(PAGE_MS, 'reading a trace', context.signal)
      const response = await ask('GET', path, undefined, limit)
      const text = await response.text()
      if (!response.ok) {
        context.fail(errorLine(text))
        return 1
      }
      const page = JSON.parse(text) as Page // of our own routes
      print(context, text, page)
      after = page.next
    }
    return 0
  },
}

function print(context: CommandContext, text: string, page: Page): void {
  const { errors, json } = context.options
  if (json === true) return context.print(text)
  for (const line of traceLines(page, errors === true)) context.print(line)
}
