/**
 * What it costs to work without a person: processor time of a queued run against the same turn as a
 * chat, of 200 automations that are not due, and how much slower a chat is beside 10,000 webhooks.
 *
 *     node tests/bench/work.ts
 */

import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { type Bench, withBench } from './adapters.ts'
import { DatabaseMeter } from './database-costs.ts'
import { pinned } from './machine.ts'
import { keepResults, type Measurement, report } from './results.ts'
import { cleanLoad, type ServerProcess } from './server-process.ts'
import { say } from './vocabulary.ts'
import { startRuns } from './queued.ts'

const runs = 1_000
const repetitions = 3
/** As many at once as one process works on by itself. */
const perInstance = 10
const automations = 200
/** Seconds of the window in which nothing happens. */
const idle = 60
const hooks = 10_000
const hooksPerSecond = 1_000
const secret = 'shared with the sender'

export async function measureWork(): Promise<readonly Measurement[]> {
  const found = await withBench(async (bench) => ({
    runs: await runsAgainstChats(bench),
    hooks: await chatsBesideHooks(bench),
    idle: await idleAutomations(bench),
  }))
  const measurements = [
    { id: 'work-runs', values: found.runs.map(({ run, chat }) => run.cpu / chat.cpu) },
    { id: 'work-idle', values: [found.idle.percent] },
    { id: 'work-hooks', values: found.hooks.map(({ beside, alone }) => beside / alone) },
  ]
  await keepResults('work', measurements, found)
  return measurements
}

/** Of one turn, in milliseconds. */
interface Turn {
  /** Processor time of both instances. */
  readonly cpu: number
  readonly wall: number
  /** Processor time of Postgres. */
  readonly database: number
  readonly transactions: number
}

/** Chats and runs take turns on the same two instances; each is a session of its own. */
async function runsAgainstChats(
  bench: Bench,
): Promise<readonly { readonly run: Turn; readonly chat: Turn }[]> {
  const database = await bench.database()
  const instances = [
    await bench.start('amodal-pg', { database }),
    await bench.start('amodal-pg', { database }),
  ]
  const meter = await DatabaseMeter.open(database)
  const measured = async (turns: number, work: () => Promise<void>): Promise<Turn> => {
    const cpu = (): number => instances.reduce((sum, one) => sum + one.cpu(), 0)
    const [before, started] = [cpu(), performance.now()]
    const costs = await meter.of(work)
    return {
      cpu: (cpu() - before) / turns,
      wall: (performance.now() - started) / turns,
      database: costs.cpu / turns,
      transactions: costs.transactions / turns,
    }
  }
  const chats = (turns: number) => async (): Promise<void> => {
    const each = turns / instances.length / perInstance
    const load = { clients: perInstance, message: say.text(20), 'turns-per-session': 1 }
    await Promise.all(instances.map((one) => cleanLoad(one, { ...load, turns: each })))
  }
  const queued = (turns: number) => async (): Promise<void> => startRuns(instances, meter, turns)
  const found: { run: Turn; chat: Turn }[] = []
  await chats(runs)()
  await queued(runs)()
  while (found.length < repetitions) {
    const inOrder = found.length % 2 === 0
    const first = await measured(runs, inOrder ? chats(runs) : queued(runs))
    const second = await measured(runs, inOrder ? queued(runs) : chats(runs))
    found.push(inOrder ? { chat: first, run: second } : { run: first, chat: second })
  }
  await meter.close()
  await Promise.all(instances.map((one) => one.stop()))
  return found
}

/** Milliseconds that a chat takes in the middle, with and without so many webhooks beside it. */
interface Beside {
  readonly alone: number
  readonly beside: number
  readonly p95Alone: number
  readonly p95Beside: number
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>
}

async function chatsBesideHooks(bench: Bench): Promise<readonly Beside[]> {
  // What sends them takes its part of the machine in both windows: in one of them it sends
  // elsewhere.
  const elsewhere = await bench.startApi()
  const load = { clients: 8, message: say.text(20), warmup: 0.5, seconds: 8 }
  const found: Beside[] = []
  while (found.length < repetitions) {
    // A new one each time: the rate limit of a minute begins anew.
    const server = await bench.start('amodal-pg', {
      files: {
        'automations/hook.json': JSON.stringify({
          prompt: `${say.text(20)} {{event}}`,
          webhookAuth: { type: 'github', secret: 'env:HOOK_SECRET' },
        }),
        '.env': `HOOK_SECRET=${secret}\n`,
      },
    })
    await cleanLoad(server, { ...load, seconds: 5 })
    const window = async (target: ServerProcess) => {
      const sending = send(target)
      const measured = await cleanLoad(server, load)
      return { ...measured, answers: await sending }
    }
    const alone = await window(elsewhere)
    const beside = await window(server)
    found.push({
      alone: alone.median,
      beside: beside.median,
      p95Alone: alone.p95,
      p95Beside: beside.p95,
      answers: beside.answers,
    })
    await server.stop()
  }
  return found
}

async function send({ port }: ServerProcess): Promise<Readonly<Record<string, number>>> {
  const flags = {
    url: `http://127.0.0.1:${port}/webhooks/hook`,
    secret,
    count: hooks,
    rate: hooksPerSecond,
  }
  const [command = '', ...rest] = [
    ...pinned('load'),
    process.execPath,
    fileURLToPath(new URL('hooks.ts', import.meta.url)),
    ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
  ]
  const { stdout } = await promisify(execFile)(command, rest)
  const { counts, seconds } = JSON.parse(stdout) as {
    readonly counts: Readonly<Record<string, number>>
    readonly seconds: number
  }
  return { ...counts, seconds }
}

/** Percent of a core, beyond what a server without automations takes in the same time. */
async function idleAutomations(
  bench: Bench,
): Promise<{ readonly percent: number; readonly none: number; readonly many: number }> {
  const none = await bench.start('amodal-pg')
  const many = await bench.start('amodal-pg', {
    files: Object.fromEntries(
      Array.from({ length: automations }, (_, n) => [
        `automations/rest-${n}.json`,
        // Due once in a year, at any minute.
        JSON.stringify({ prompt: say.text(20), schedule: `${n % 60} ${n % 24} 29 2 *` }),
      ]),
    ),
  })
  // What a start leaves for later is over.
  await sleep(20_000)
  const [noneBefore, manyBefore] = [none.cpu(), many.cpu()]
  await sleep(idle * 1000)
  const used = { none: none.cpu() - noneBefore, many: many.cpu() - manyBefore }
  await Promise.all([none.stop(), many.stop()])
  return { percent: Math.max(0, used.many - used.none) / (idle * 10), ...used }
}

if (import.meta.main) await report(measureWork)
