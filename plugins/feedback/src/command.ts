import { timeLimit, type Command, type CommandContext } from '@amodal/sdk'
import { askRoutes, errorLine } from '@amodal/plugin-http/tokens'
import { feedbackLines, statsLines, type Row } from './command-lines.ts'
import { Feedback } from './tokens.ts'

const ACTIONS = ['list', 'export', 'stats'] as const
type Action = (typeof ACTIONS)[number]

/** ms for an answer of a server, a file among them. */
const SERVER_MS = 600_000

const FILTERS = ['rating', 'category', 'session', 'from', 'to', 'limit', 'format'] as const

/** `amodal ops feedback list|export|stats`. */
export const feedbackCommand: Command = {
  summary: 'List, export and count what people say of answers',
  usage: `amodal ops feedback ${ACTIONS.join('|')} [--rating up|down] [--url URL] [--json]`,
  about: [
    'Works on the data of the agent folder, or with --url on a running server. With an embedded database a running server has the folder to itself: give its address.',
  ],
  examples: [
    ['amodal ops feedback list --rating down', 'show the newest answers that were not good'],
    ['amodal ops feedback export --format csv --from 2026-05-01', 'print all since then as CSV'],
    ['amodal ops feedback stats', 'count by rating, reason and day'],
  ],
  options: {
    url: { type: 'string', description: 'A running server, such as http://127.0.0.1:3847' },
    scope: { type: 'string', description: 'Whose feedback, where there are several tenants' },
    rating: { type: 'string', description: 'up or down' },
    category: { type: 'string', description: 'Those with this reason' },
    session: { type: 'string', description: 'Those of this session' },
    from: { type: 'string', description: 'ISO time or day since which it was given' },
    to: { type: 'string', description: 'ISO time or day before which it was given' },
    limit: { type: 'string', description: 'Rows that are shown' },
    format: { type: 'string', description: 'Of an export: jsonl or csv' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(context) {
    const [name] = context.arguments
    const action = ACTIONS.find((one) => one === name)
    if (!action) {
      context.fail(`there is no "${name ?? ''}"; there are: ${ACTIONS.join(', ')}`)
      return 2
    }
    const ask = await askRoutes(context, (kernel) => kernel.scope.get(Feedback).routes)
    const limit = timeLimit(SERVER_MS, 'asking for feedback', context.signal)
    const response = await ask('GET', pathOf(action, context), undefined, limit)
    if (!response.ok) {
      context.fail(errorLine(await response.text()))
      return 1
    }
    if (action === 'export') await printLines(context, response)
    else printAnswer(context, action, await response.text())
    return 0
  },
}

function pathOf(action: Action, { options }: CommandContext): string {
  const query = new URLSearchParams()
  for (const option of FILTERS) {
    const value = options[option]
    if (typeof value === 'string') query.set(option === 'session' ? 'session_id' : option, value)
  }
  return `/api/feedback${action === 'list' ? '' : `/${action}`}?${query.toString()}`
}

function printAnswer(context: CommandContext, action: 'list' | 'stats', text: string): void {
  if (context.options['json'] === true) return context.print(text)
  const answer = JSON.parse(text) as Row // of our own routes
  const lines = action === 'list' ? feedbackLines(answer) : statsLines(answer)
  for (const line of lines) context.print(line)
}

/** Prints a file as it arrives, whatever its size. */
async function printLines({ print }: CommandContext, { body }: Response): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) print(line)
  }
  if (rest !== '') print(rest)
}
