import type { Command, CommandContext, Json } from '@amodal/sdk'
import { askRoutes, errorLine, type AskRoutes } from '@amodal/plugin-http/tokens'
import { detailLines, eventLine, listLines, profileLines, type Fields } from './command-lines.ts'
import { Runs } from './tokens.ts'

const BASE = '/api/platform/v1/agents'
/** ms between two looks at a run that is followed. */
const POLL_MS = 500
/** Nothing happens in such a run until somebody does something. */
const RESTING: ReadonlySet<unknown> = new Set(['complete', 'error', 'canceled', 'awaiting_input'])

type Reply = { readonly ok: true; readonly body: Fields } | { readonly ok: false }
type Action = (context: CommandContext, ask: AskRoutes, id: string) => Promise<number>

const ACTIONS: Readonly<Record<string, Action>> = { run, status, list, resume, cancel, profiles }
/** Those that are about one run, or start one. */
const WITH_ARGUMENT: Readonly<Record<string, string>> = {
  run: 'TASK',
  status: 'SESSION',
  resume: 'SESSION',
  cancel: 'SESSION',
}

/** `amodal agents run|status|list|resume|cancel|profiles`. */
export const agentsCommand: Command = {
  summary: 'Start runs of the agent, follow, answer and cancel them',
  usage: `amodal agents ${Object.keys(ACTIONS).join('|')} [TASK|SESSION] [--url URL] [--json]`,
  about: [
    'Works on the agent folder, or with --url on a running server. With an embedded database a running server has the folder to itself: give its address.',
    'A run is followed until it ends or asks a person. The exit code is 0 where it is complete, 3 where it asks, and 1 otherwise.',
  ],
  examples: [
    ['amodal agents run "Sum up the open incidents"', 'start a run and follow it'],
    [
      'amodal agents run "Write the report" --profile researcher --url https://agent.example --detach',
      'start one on a server, and return at once',
    ],
    ['amodal agents status sess_1f0c', 'show where it stands, and its last events'],
    ['amodal agents resume sess_1f0c --approve', 'approve what it waits for'],
    [`amodal agents resume sess_1f0c --input '{"response":"yes"}'`, 'answer a question'],
    ['amodal agents cancel sess_1f0c --reason "not needed"', 'end it'],
  ],
  options: {
    url: { type: 'string', description: 'A running server, such as http://127.0.0.1:3847' },
    scope: { type: 'string', description: 'Whose runs, where there are several tenants' },
    profile: { type: 'string', description: 'Profile of a new run (agent)' },
    params: { type: 'string', description: 'Facts for a new run, as a JSON object' },
    key: { type: 'string', description: 'The same key with the same task is the same run' },
    detach: { type: 'boolean', description: 'Do not follow the run (with --url)' },
    approve: { type: 'boolean', description: 'Approve what the run waits for' },
    decline: { type: 'boolean', description: 'Decline it' },
    input: { type: 'string', description: 'Answer of a question, as a JSON object' },
    ask: { type: 'string', description: 'Which question, where several wait' },
    reason: { type: 'string', description: 'Why a run is cancelled, or a call declined' },
    limit: { type: 'string', description: 'Runs that are listed (20)' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run(context) {
    const [name = '', argument = ''] = context.arguments
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
    const needed = WITH_ARGUMENT[name]
    if (!action || (needed !== undefined && argument.trim() === '')) {
      context.fail(
        action
          ? `say which: amodal agents ${name} ${needed ?? ''}`
          : `there is no "${name}"; there are: ${Object.keys(ACTIONS).join(', ')}`,
      )
      return 2
    }
    if (context.options['detach'] === true && context.options['url'] === undefined) {
      context.fail('--detach needs --url: a run of this process ends with it')
      return 2
    }
    const ask = await askRoutes(context, ({ scope }) => scope.get(Runs).routes)
    return action(context, ask, argument)
  },
}

async function run(context: CommandContext, ask: AskRoutes, task: string): Promise<number> {
  const { options } = context
  const params = objectIn(context, 'params')
  if (params === null) return 2
  const body = {
    profile_id: options['profile'] ?? 'agent',
    task,
    ...(params && { input_params: params }),
  }
  const headers =
    typeof options['key'] === 'string' ? { 'idempotency-key': options['key'] } : undefined
  const started = await reply(context, ask('POST', `${BASE}/run`, body, context.signal, headers))
  if (!started.ok) return 1
  const id = String(started.body['session_id'])
  if (options['detach'] !== true) return follow(context, ask, id)
  context.print(options['json'] === true ? JSON.stringify(started.body) : id)
  return 0
}

/**
 * Prints the events of a run as they come, and how it stands once it ended or asks.
 *
 * @param answered id of a question that was just answered, and is open until the run goes on
 */
async function follow(
  context: CommandContext,
  ask: AskRoutes,
  id: string,
  answered?: string,
): Promise<number> {
  const isJson = context.options['json'] === true
  if (!isJson) context.print(`Session ${id}`)
  let after: string | undefined
  for (;;) {
    const query = new URLSearchParams({ limit: '200', ...(after !== undefined && { after }) })
    const page = await reply(context, ask('GET', `${BASE}/${id}/events?${query}`))
    if (!page.ok) return 1
    const { events, has_more: hasMore, next_after: next, status: state } = page.body
    for (const event of rowsIn(events)) if (!isJson) context.print(eventLine(event))
    if (typeof next === 'string') after = next
    if (hasMore === true) continue
    const details = RESTING.has(state) ? await detailsOf(context, ask, id) : undefined
    if (details?.ok === false) return 1
    if (details && isResting(details.body, answered)) return printDetails(context, details.body)
    await paused(context.signal)
    if (context.signal.aborted) return 130
  }
}

const isResting = (run: Fields, answered: string | undefined): boolean =>
  RESTING.has(run['status']) &&
  (run['status'] !== 'awaiting_input' || fieldsOf(run['pending_input'])['ask_id'] !== answered)

const detailsOf = (context: CommandContext, ask: AskRoutes, id: string): Promise<Reply> =>
  reply(context, ask('GET', `${BASE}/${encodeURIComponent(id)}/status`))

function printDetails(context: CommandContext, run: Fields): number {
  print(context, run, detailLines)
  if (run['status'] === 'awaiting_input') return 3
  return run['status'] === 'error' || run['status'] === 'canceled' ? 1 : 0
}

async function status(context: CommandContext, ask: AskRoutes, id: string): Promise<number> {
  const details = await detailsOf(context, ask, id)
  return details.ok ? printDetails(context, details.body) : 1
}

async function list(context: CommandContext, ask: AskRoutes): Promise<number> {
  const { limit } = context.options
  const query = new URLSearchParams({ limit: typeof limit === 'string' ? limit : '20' })
  const page = await reply(context, ask('GET', `${BASE}?${query}`))
  if (page.ok) print(context, page.body, listLines)
  return page.ok ? 0 : 1
}

async function resume(context: CommandContext, ask: AskRoutes, id: string): Promise<number> {
  const { approve, decline, reason, ask: askId } = context.options
  const input = objectIn(context, 'input')
  if (input === null) return 2
  if ([approve === true, decline === true, input !== undefined].filter(Boolean).length !== 1) {
    context.fail('answer with one of --approve, --decline and --input JSON')
    return 2
  }
  const decision = {
    approved: approve === true,
    ...(typeof reason === 'string' && { comment: reason }),
  }
  const before = await detailsOf(context, ask, id)
  if (!before.ok) return 1
  const open = askId ?? fieldsOf(before.body['pending_input'])['ask_id']
  const resumed = await reply(
    context,
    ask('POST', `${BASE}/${encodeURIComponent(id)}/resume`, {
      input: input ?? decision,
      ...(typeof askId === 'string' && { ask_id: askId }),
    }),
  )
  if (!resumed.ok) return 1
  return context.options['detach'] === true
    ? 0
    : follow(context, ask, id, typeof open === 'string' ? open : undefined)
}

async function cancel(context: CommandContext, ask: AskRoutes, id: string): Promise<number> {
  const { reason } = context.options
  const path = `${BASE}/${encodeURIComponent(id)}/cancel`
  const canceled = await reply(
    context,
    ask('POST', path, typeof reason === 'string' ? { reason } : {}),
  )
  if (canceled.ok) print(context, canceled.body, () => [`Canceled ${id}`])
  return canceled.ok ? 0 : 1
}

async function profiles(context: CommandContext, ask: AskRoutes): Promise<number> {
  const all = await reply(context, ask('GET', `${BASE}/profiles`))
  if (all.ok) print(context, all.body, profileLines)
  return all.ok ? 0 : 1
}

/** The body of a reply; what went wrong is printed. */
async function reply(context: CommandContext, response: Promise<Response>): Promise<Reply> {
  const received = await response
  const text = await received.text()
  if (received.ok) return { ok: true, body: fieldsOf(parsed(text)) }
  context.fail(errorLine(text))
  return { ok: false }
}

function print(
  { options, print: line }: CommandContext,
  body: Fields,
  lines: (body: Fields) => readonly string[],
): void {
  if (options['json'] === true) line(JSON.stringify(body))
  else for (const one of lines(body)) line(one)
}

/** The JSON object of an option; `null` where it is none, which is printed. */
function objectIn({ options, fail }: CommandContext, name: string): Fields | null | undefined {
  const text = options[name]
  if (typeof text !== 'string') return undefined
  const value = parsed(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  fail(`--${name} is no JSON object: ${text}`)
  return null
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {} // of our own routes
const rowsIn = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? (value as readonly Fields[]) : [] // of our own routes

async function paused(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, POLL_MS)
    signal.addEventListener('abort', done)
  })
}
