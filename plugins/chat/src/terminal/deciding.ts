import {
  callId,
  LOCAL_TENANT,
  sessionId,
  type AgentClient,
  type CommandContext,
  type Failure,
  type Result,
  type Settlement,
} from '@amodal/sdk'
import {
  ClientError,
  type Client,
  type SessionDetails,
  type SessionSummary,
} from '@amodal/sdk/client'
import { details, summary } from '../session-shape.ts'
import { clientOf, agentClientOf } from './agent-of.ts'

const VERBS = ['list', 'retry', 'end', 'settle'] as const
const SETTLEMENTS: readonly Settlement[] = ['happened', 'not_happened', 'retry']

/**
 * Sessions that need a decision of a person, on a server or in this process. Throws `ClientError`.
 */
type Desk = Pick<Client, 'attention' | 'session' | 'retry' | 'settle' | 'cancel'>

/** Lists the pending decisions, and carries one out. */
export async function deciding(context: CommandContext): Promise<number> {
  const [given = 'list', session, call, outcome] = context.arguments
  const verb = VERBS.find((one) => one === given)
  const settlement = SETTLEMENTS.find((one) => one === outcome)
  const problem = (): string | undefined => {
    if (verb === undefined) return `there is no "${given}"; it takes ${VERBS.join(', ')}`
    if (verb !== 'list' && session === undefined)
      return `say which session: amodal ops runs ${verb} ID`
    return verb === 'settle' && (call === undefined || settlement === undefined)
      ? `say which call and what became of it: amodal ops runs settle ${session ?? 'ID'} CALL ${SETTLEMENTS.join('|')}`
      : undefined
  }
  const wrong = problem()
  if (wrong !== undefined || verb === undefined) {
    context.fail(`amodal ops runs: ${wrong ?? ''}`)
    return 2
  }
  try {
    const desk = clientOf(context) ?? deskOf(await agentClientOf(context))
    if (verb === 'list' || session === undefined) await list(desk, context)
    else if (verb === 'retry') await retry(desk, session, context)
    else if (verb === 'end') {
      await desk.cancel(session)
      context.print(`${session} is ended.`)
    } else if (call !== undefined && settlement !== undefined)
      return await settle(desk, session, call, settlement, context)
    return 0
  } catch (cause) {
    if (!(cause instanceof ClientError)) throw cause
    context.fail(`${cause.code}: ${cause.message}`)
    return 1
  }
}

async function list(desk: Desk, { options, print }: CommandContext): Promise<void> {
  const sessions = await Promise.all((await desk.attention()).map(({ id }) => desk.session(id)))
  if (options['json'] === true)
    return print(
      JSON.stringify(
        sessions.map(({ messages: _messages, ...rest }) => rest),
        null,
        2,
      ),
    )
  if (sessions.length === 0) return print('Nothing waits for a decision.')
  for (const { id, title, set_aside, unknown_calls } of sessions) {
    print(`${id}  ${title}`)
    if (set_aside) print(`  set aside at ${set_aside.at}: ${set_aside.message}`)
    for (const {
      call_id,
      tool_name,
      at,
      idempotency_key,
      can_retry,
      parameters,
    } of unknown_calls) {
      print(
        `  unknown outcome: ${call_id}  ${tool_name} ${JSON.stringify(parameters ?? {})}  at ${at}  key ${idempotency_key}${can_retry ? '' : '  (cannot be made again)'}`,
      )
    }
  }
}

async function retry(desk: Desk, session: string, { print }: CommandContext): Promise<void> {
  const wanted =
    session === 'all'
      ? (await desk.attention()).filter(({ set_aside }) => set_aside).map(({ id }) => id)
      : [session]
  for (const one of wanted) {
    await desk.retry(one)
    print(`${one} continues.`)
  }
}

async function settle(
  desk: Desk,
  session: string,
  call: string,
  settlement: Settlement,
  { print, fail }: CommandContext,
): Promise<number> {
  const { settled } = await desk.settle(session, call, settlement)
  if (settled) print(`${call} is settled: ${settlement}.`)
  else if (settlement === 'retry')
    fail(
      `${call} is not settled: it waits its turn, or its outcome is still unknown. \`amodal ops runs\` shows it`,
    )
  else print(`${call} is settled when the run before it has ended.`)
  return settled || settlement !== 'retry' ? 0 : 1
}

function deskOf(client: AgentClient): Desk {
  const caller = { tenant: LOCAL_TENANT }
  return {
    attention: async () =>
      got(await client.troubled()).map(
        (row) => summary(row, '', caller) as unknown as SessionSummary,
      ), // the server's contract
    session: async (id) =>
      // the server's contract
      details(got(await client.session(sessionId(id))), '', caller) as unknown as SessionDetails,
    async retry(id) {
      got(await client.retry(sessionId(id)))
    },
    settle: async (id, call, outcome) =>
      got(await client.settle(sessionId(id), callId(call), outcome)),
    cancel: async (id) => got(await client.cancel(sessionId(id))),
  }
}

function got<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new ClientError(result.error.code, result.error.message)
}
