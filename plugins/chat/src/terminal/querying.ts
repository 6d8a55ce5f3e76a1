import type { AgentEvent, CommandContext } from '@amodal/sdk'
import { ClientError } from '@amodal/sdk/client'
import { shownAsk } from '../session-shape.ts'
import { shownTurn, type ReadTurn } from '../sync-answer.ts'
import { clientOf, agentClientOf } from './agent-of.ts'
import { Screen } from './screen.ts'

/** Sends one message and prints the result. */
export async function querying(context: CommandContext): Promise<number> {
  const { arguments: words, fail, options, program = 'amodal', signal } = context
  const text = words.join(' ').trim()
  if (text === '') {
    fail(`say what to ask: ${program} test-query "What can you do?"`)
    return 2
  }
  try {
    const turn = await ask(context, text)
    if (signal.aborted) return 130
    if (options['json'] === true) context.print(JSON.stringify(shownTurn(turn).body, null, 2))
    else show(context, turn)
    if (turn.pending.length > 0)
      fail(`The agent waits for a person${askedOf(turn)}. To answer, talk to it: ${program} chat`)
    return turn.reason !== undefined && turn.reason !== 'error' ? 0 : 1
  } catch (cause) {
    if (signal.aborted) return 130
    if (!(cause instanceof ClientError)) throw cause
    fail(`${cause.code}: ${cause.message}`)
    return 1
  }
}

async function ask(context: CommandContext, text: string): Promise<ReadTurn> {
  const { signal } = context
  const client = clientOf(context)
  if (client) return client.ask({ text, signal })
  const answered = await (await agentClientOf(context, { looking: true })).ask({ text }, signal)
  if (!answered.ok) throw new ClientError(answered.error.code, answered.error.message)
  return { ...answered.value, pending: answered.value.pending.map(shownAsk) }
}

/** The question of the agent, in one line. */
function askedOf({ events }: ReadTurn): string {
  for (const event of events.toReversed()) {
    switch (event.type) {
      case 'ask_user':
        return `: ${event.questions.map((question) => question.text).join(' ')}`
      case 'ask_choice':
        return `: ${event.question}`
      case 'confirmation_required':
        return `: ${event.endpoint}: ${event.reason}`
      default:
        continue
    }
  }
  return ''
}

/** A test of a query shows the names of tools, not the titles that people see instead. */
function unlabelled(event: AgentEvent): AgentEvent {
  if (event.type !== 'tool_call_start') return event
  const { running_label: _, ...named } = event
  return named
}

function show(
  { fail, options, write }: CommandContext,
  { events, reason, text, usage }: ReadTurn,
): void {
  const screen = new Screen(write)
  if (options['quiet'] === true) screen.text(text)
  else for (const event of events) screen.show(unlabelled(event))
  screen.endLine()
  const error = events.findLast((event) => event.type === 'error')
  if (options['quiet'] === true && error && reason === 'error')
    fail(`${error.code}: ${error.message}`)
  if (options['quiet'] === true || reason === undefined) return
  const calls = events.filter((event) => event.type === 'tool_call_start').length
  screen.line(
    `\n(${[reason, `${calls} tool ${calls === 1 ? 'call' : 'calls'}`, ...(usage ? [`${usage.total_tokens} tokens`] : [])].join(', ')})`,
  )
}
