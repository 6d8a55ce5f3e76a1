import type { JournalEntry, SequencedEntry } from '@amodal/kernel'
import { readEntries } from '@amodal/kernel'
import { callsOf, planOf, tasksOf, type Plan } from './plan.ts'
import type { Outside } from './outside.ts'
import type { Turn } from './person.ts'
import { effectsOf } from './scenarios.ts'
import type { ServerProcess } from './server-process.ts'

/** What must never happen. */
export interface Finding {
  readonly kind: 'lost' | 'doubled' | 'broken'
  readonly text: string
}

export interface Verdict {
  readonly findings: readonly Finding[]
  /** Messages that the client was told are kept. */
  readonly acknowledged: number
  /** Calls of tools that change something. */
  readonly effects: number
  /** Markers of calls whose outcome is unknown, as the model and the person were told. */
  readonly unknown: readonly string[]
}

type Entry<K extends JournalEntry['kind']> = Extract<SequencedEntry, { kind: K }>

/** The journal of a session and its lane, straight from the database. */
export async function journalOf(
  server: ServerProcess,
  session: string,
): Promise<{
  readonly entries: readonly SequencedEntry[]
  readonly lane: Readonly<Record<string, unknown>>
}> {
  const rows = await server.query(
    'select seq, body from sessions_entry join sessions_lane using (lane) where session = $1 order by seq',
    [session],
  )
  const [lane] = await server.query(
    'select head, owner, messages, controls, parked, state from sessions_lane where session = $1',
    [session],
  )
  const entries = readEntries(
    rows.map(({ seq, body }) => ({ seq: Number(seq), body: String(body) })),
  )
  if (!entries.ok) throw new Error(entries.error.message)
  return { entries: entries.value, lane: lane ?? {} }
}

/** A message, and what its client was told; nobody is told of a sub-agent's turn but its parent. */
type Sent = Pick<Turn, 'key' | 'plan'> & { readonly transcript?: Turn['transcript'] }

/**
 * Holds the journal of one session, and of those of its sub-agents, against what its clients were
 * told and what the outside server saw.
 *
 * @param turns all turns of the session in the order they were sent, each of them over
 */
export async function judge(
  server: ServerProcess,
  session: string,
  turns: readonly Turn[],
  outside: Outside,
): Promise<Verdict> {
  const { findings, unknown } = await judgeSession(server, session, turns, outside)
  return {
    findings,
    unknown,
    acknowledged: turns.filter(({ acknowledged }) => acknowledged).length,
    effects: turns.flatMap(({ plan }) => [plan, ...tasksOf(plan)]).flatMap(effectsOf).length,
  }
}

async function judgeSession(
  server: ServerProcess,
  session: string,
  turns: readonly Sent[],
  outside: Outside,
): Promise<Pick<Verdict, 'findings' | 'unknown'>> {
  const { entries, lane } = await journalOf(server, session)
  const findings: Finding[] = []
  const find: Find = (kind, text) => void findings.push({ kind, text: `${session}: ${text}` })

  entries.forEach(({ seq }, index) => {
    if (seq !== index + 1) find('broken', `entry ${index + 1} has seq ${seq}`)
  })
  if (lane['head'] !== entries.length)
    find('broken', `the head is ${String(lane['head'])} with ${entries.length} entries`)
  if (lane['owner'] !== null || lane['messages'] !== 0 || lane['controls'] !== 0)
    find('broken', `the lane is not at rest: ${JSON.stringify(lane)}`)

  const keys = of(entries, 'user_message').map(({ key }) => key)
  const sent = turns.map(({ key }) => key)
  if (
    keys.filter((key) => sent.includes(key)).join() !==
    sent.filter((key) => keys.includes(key)).join()
  )
    find('broken', 'the messages are not in the order they were sent')
  const unknown = turns.flatMap((turn) => judgeTurn(turn, entries, outside, find))
  const children = await Promise.all(
    turns
      .flatMap(({ plan }) => tasksOf(plan))
      .map(async (task) => judgeChild(task, entries, server, outside, find)),
  )
  return {
    findings: [...findings, ...children.flatMap((child) => child.findings)],
    unknown: [...unknown, ...children.flatMap((child) => child.unknown)],
  }
}

/** A sub-agent has begun once, has one end, and its parent knows of both. */
async function judgeChild(
  task: Plan,
  entries: readonly SequencedEntry[],
  server: ServerProcess,
  outside: Outside,
  find: Find,
): ReturnType<typeof judgeSession> {
  const opened = of(entries, 'child_opened').filter(
    ({ prompt }) => planOf(prompt).marker === task.marker,
  )
  const [begun] = opened
  if (!begun) {
    find('lost', `the sub-agent ${task.marker} was never written down`)
    return { findings: [], unknown: [] }
  }
  if (opened.length > 1)
    find('doubled', `the sub-agent ${task.marker} was written down ${opened.length} times`)
  const ends = of(entries, 'child_closed').filter(({ child }) => child === begun.child)
  const expected = task.fails ? 'error' : 'success'
  if (ends.length !== 1)
    find(
      ends.length === 0 ? 'lost' : 'doubled',
      `the sub-agent ${task.marker} has ended ${ends.length} times`,
    )
  else if (ends[0]?.status !== expected)
    find(
      'broken',
      `the sub-agent ${task.marker} came to ${ends[0]?.status ?? 'nothing'}: ${ends[0]?.summary ?? ''}`,
    )
  const { entries: own } = await journalOf(server, begun.child)
  const words = of(own, 'model_reply').at(-1)?.text
  if (ends[0]?.status === 'success' && ends[0].summary !== words)
    find(
      'broken',
      `the sub-agent ${task.marker} said ${JSON.stringify(words)} and its parent was told ${JSON.stringify(ends[0].summary)}`,
    )
  return judgeSession(
    server,
    begun.child,
    [{ key: `dispatch:${begun.run}:${begun.call}`, plan: task }],
    outside,
  )
}

type Find = (kind: Finding['kind'], text: string) => void

/** @returns markers of the calls whose outcome is unknown */
function judgeTurn(
  { key, plan, transcript }: Sent,
  entries: readonly SequencedEntry[],
  outside: Outside,
  find: Find,
): readonly string[] {
  const messages = of(entries, 'user_message').filter((entry) => entry.key === key)
  const [message] = messages
  if (!message) {
    find('lost', `${plan.marker} was acknowledged and is not in the journal`)
    return []
  }
  if (messages.length > 1)
    find('doubled', `${plan.marker} is in the journal ${messages.length} times`)
  const run = entries.filter((entry) => entry.run === message.run)
  const ends = of(run, 'run_ended')
  if (ends.length !== 1)
    find(ends.length === 0 ? 'lost' : 'doubled', `${plan.marker} has ended ${ends.length} times`)
  if (ends[0]?.reason !== (plan.fails ? 'error' : 'model_stop'))
    find(
      'broken',
      `${plan.marker} ended with ${ends[0]?.reason ?? 'nothing'}: ${ends[0]?.error?.message ?? ''}`,
    )
  judgeCalls(plan.marker, run, find)
  if (transcript)
    judgeTelling(
      plan.marker,
      run,
      transcript.text,
      transcript.events.map(({ type }) => type),
      find,
    )
  const asked = of(run, 'input_asked').length
  if (of(run, 'input_answered').length !== asked)
    find(
      'broken',
      `${plan.marker}: ${asked} questions have ${of(run, 'input_answered').length} answers`,
    )
  return callsOf(plan).flatMap(({ marker, tool }) => {
    // A tool that ends the turn, or asks, is known by its place and not by a marker; a sub-agent by
    // its session.
    if (tool === 'stop_execution' || tool === 'ask_user' || tool === 'dispatch_task') return []
    return judgeCall(marker, tool, run, outside, find)
  })
}

/** The client was told what became true, once, and nothing else. */
function judgeTelling(
  marker: string,
  run: readonly SequencedEntry[],
  text: string,
  types: readonly string[],
  find: Find,
): void {
  const replies = of(run, 'model_reply')
  const written = replies.map((reply) => reply.text).join('')
  if (text !== written)
    find(
      'broken',
      `${marker}: the client read ${JSON.stringify(text)} and the journal says ${JSON.stringify(written)}`,
    )
  const count = (type: string): number => types.filter((one) => one === type).length
  const calls = replies.flatMap((reply) => reply.calls).length
  if (count('done') !== 1) find('broken', `${marker}: ${count('done')} times done`)
  if (count('tool_call_start') !== calls || count('tool_call_result') !== calls)
    find(
      'broken',
      `${marker}: ${calls} calls, ${count('tool_call_start')} starts and ${count('tool_call_result')} results were told`,
    )
}

/** Every call the model has made came to one outcome. */
function judgeCalls(marker: string, run: readonly SequencedEntry[], find: Find): void {
  const outcomes = [...of(run, 'tool_outcome'), ...of(run, 'child_closed')].map(({ call }) => call)
  for (const { id } of of(run, 'model_reply').flatMap((reply) => reply.calls)) {
    const own = outcomes.filter((call) => call === id).length
    if (own !== 1)
      find(own === 0 ? 'lost' : 'doubled', `${marker}: the call ${id} has ${own} outcomes`)
  }
}

/** @returns the marker where the outcome is unknown */
function judgeCall(
  marker: string,
  tool: string,
  run: readonly SequencedEntry[],
  outside: Outside,
  find: Find,
): readonly string[] {
  const calls = of(run, 'model_reply')
    .flatMap((reply) => reply.calls)
    .filter(({ input }) => input.includes(`"${marker}"`))
  const [call] = calls
  if (!call) {
    find('lost', `the call ${marker} is not in the journal`)
    return []
  }
  if (calls.length > 1)
    find('doubled', `the call ${marker} is in the journal ${calls.length} times`)
  const outcome = of(run, 'tool_outcome').find((entry) => entry.call === call.id)
  // What came of it for the state is for `judgeState`.
  if (tool === 'update_state' || tool === 'count_state') {
    if (outcome?.status !== 'success')
      find('broken', `the change ${marker} came to ${outcome?.status ?? 'nothing'}`)
    return []
  }
  const effects = outside.effects(marker)
  if (tool === 'read_thing') {
    if (outcome?.status !== 'success' || effects === 0)
      find(
        'broken',
        `the reading call ${marker} came to ${outcome?.status ?? 'nothing'} after ${effects} requests`,
      )
    return []
  }
  if (effects > 1) find('doubled', `${marker} took effect ${effects} times`)
  if (outcome?.status === 'success') {
    if (effects === 0) find('lost', `${marker} is told to have succeeded and never took effect`)
    return []
  }
  // Unknown is an answer only to a crash between the intent and the outcome of a call that cannot
  // be repeated.
  const intent = of(run, 'tool_intent').find((entry) => entry.call === call.id)
  const crashed =
    intent &&
    outcome &&
    of(run, 'note').some(
      ({ code, seq }) => code === 'recovered' && seq > intent.seq && seq < outcome.seq,
    )
  if (outcome?.status !== 'unknown' || tool !== 'effect_plain' || !crashed)
    find(
      'broken',
      `${marker} came to ${outcome?.status ?? 'nothing'}: ${JSON.stringify(outcome?.output)}`,
    )
  return [marker]
}

const of = <K extends JournalEntry['kind']>(
  entries: readonly SequencedEntry[],
  kind: K,
): readonly Entry<K>[] => entries.filter((entry): entry is Entry<K> => entry.kind === kind)
