/**
 * The load generator: so many clients at once, each taking one turn after the other. It is a
 * process of its own, and prints one line of JSON (a `Window`). Processor time is read with no turn
 * in flight, before the first and after the last, so that it belongs to exactly the turns counted.
 *
 *     node tests/bench/load.ts --url http://127.0.0.1:3847/chat/stream --pid 1234 --clients 16 --seconds 5
 */

import { parseArgs } from 'node:util'

import { ChatClient, type Turn } from './chat-client.ts'
import { cpuTime } from './machine.ts'
import { randomLetters, say } from './vocabulary.ts'

export interface Window {
  readonly turns: number
  /** One failed turn voids the window: its figures then say nothing. */
  readonly failed: number
  readonly firstProblem: string | undefined
  /** Milliseconds of the server's processor time per turn. */
  readonly cpuPerTurn: number
  readonly turnsPerSecond: number
  /** Milliseconds. */
  readonly median: number
  readonly p95: number
  /** The session each client was last in. */
  readonly sessions: readonly string[]
}

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    /** The server whose processor time is read. */
    pid: { type: 'string' },
    clients: { type: 'string', default: '16' },
    /** How long turns are begun; the last ones are waited for. */
    seconds: { type: 'string', default: '5' },
    /** The same before the window opens. */
    warmup: { type: 'string', default: '1' },
    /** So many turns for each client, instead of `seconds` and `warmup`. */
    turns: { type: 'string' },
    message: { type: 'string', default: say.text(20) },
    /** So many random letters after each message. */
    padding: { type: 'string', default: '0' },
    'turns-per-session': { type: 'string', default: '10' },
    /** Sessions to go on with, one for each client, separated by commas. */
    sessions: { type: 'string', default: '' },
    /** Seconds a turn may take. */
    deadline: { type: 'string', default: '30' },
  },
})

const url = required('url')
const pid = Number(required('pid'))
const count = Number(values.clients)
const perSession = Number(values['turns-per-session'])
const padding = Number(values.padding)
const known = values.sessions.split(',').filter((id) => id !== '')
const clients = Array.from(
  { length: count },
  (_, n) => new ChatClient({ url, deadline: Number(values.deadline) * 1000, session: known[n] }),
)

if (values.turns === undefined) await drive(untilTime(Number(values.warmup)))
const limit =
  values.turns === undefined ? untilTime(Number(values.seconds)) : untilTurn(Number(values.turns))
process.stdout.write(`${JSON.stringify(await measured(limit))}\n`)
for (const client of clients) client.close()

/** Whether a client may begin the turn that would be its n-th, counted from 0. */
type Limit = (n: number) => boolean

function untilTime(seconds: number): Limit {
  const end = performance.now() + seconds * 1000
  return () => performance.now() < end
}

function untilTurn(turns: number): Limit {
  return (n) => n < turns
}

async function measured(more: Limit): Promise<Window> {
  const cpu = cpuTime(pid)
  const wall = performance.now()
  const turns = await drive(more)
  const cpuUsed = cpuTime(pid) - cpu
  const seconds = (performance.now() - wall) / 1000

  const failures = turns.flatMap((turn) => (turn.ok ? [] : [turn.problem]))
  const times = turns.flatMap((turn) => (turn.ok ? [turn.milliseconds] : [])).sort((a, b) => a - b)
  return {
    turns: turns.length,
    failed: failures.length,
    firstProblem: failures[0],
    cpuPerTurn: cpuUsed / turns.length,
    turnsPerSecond: turns.length / seconds,
    median: times[Math.floor(times.length / 2)] ?? NaN,
    p95: times[Math.floor(times.length * 0.95)] ?? NaN,
    sessions: clients.flatMap((client) => client.session ?? []),
  }
}

/** Lets every client take turns until the limit, or until one of its turns fails. */
async function drive(more: Limit): Promise<readonly Turn[]> {
  const turns = await Promise.all(
    clients.map(async (client) => {
      const taken: Turn[] = []
      for (let n = 0; more(n); n += 1) {
        if (n > 0 && n % perSession === 0) client.forget()
        const turn = await client.turn(
          padding === 0 ? values.message : `${values.message} ${randomLetters(padding)}`,
        )
        taken.push(turn)
        if (!turn.ok) break
      }
      return taken
    }),
  )
  return turns.flat()
}

function required(name: 'url' | 'pid'): string {
  const value = values[name]
  if (value === undefined) throw new Error(`--${name} is missing`)
  return value
}
