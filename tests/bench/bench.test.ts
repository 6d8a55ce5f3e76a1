import { once } from 'node:events'
import { createServer } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type AdapterName, type Bench, withBench } from './adapters.ts'
import { ChatClient } from './chat-client.ts'
import { cpuTime, refuseAnswering } from './machine.ts'
import { say } from './vocabulary.ts'
import { missed, SHORT_TOLERANCE, standing, table } from './results.ts'
import { cleanLoad, load, type ServerProcess } from './server-process.ts'
import { type MeasuredWindow, ratios, type Scenario } from './windows.ts'

describe('the floors', () => {
  const servers = new Map<AdapterName, ServerProcess>()
  let end: () => void
  let ended: Promise<void>

  beforeAll(async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    end = resolve
    await new Promise<void>((ready, failed) => {
      ended = withBench(async (bench: Bench) => {
        for (const name of ['floor-bare', 'floor-raw', 'floor-proxy'] as const)
          servers.set(name, await bench.start(name))
        ready()
        await promise
      }).catch(failed)
    })
  })

  afterAll(async () => {
    end()
    await ended
  })

  const server = (name: AdapterName): ServerProcess => {
    const found = servers.get(name)
    if (found === undefined) throw new Error(`${name} was not started`)
    return found
  }

  it.each([
    ['floor-bare', say.text(20)],
    ['floor-bare', say.tool()],
    ['floor-raw', say.text(20)],
    ['floor-raw', say.tool()],
    ['floor-proxy', say.text(20)],
  ] as const)('%s answers %s, several turns in one session', async (name, message) => {
    const client = new ChatClient({ url: server(name).chatUrl, deadline: 5000 })
    expect(await client.turn(message)).toMatchObject({ ok: true })
    const session = client.session
    expect(session).toEqual(expect.any(String))
    expect(await client.turn(message)).toMatchObject({ ok: true })
    if (name !== 'floor-proxy') expect(client.session).toBe(session)
    client.close()
  })

  it('a window counts turns and the processor time of the server alone', async () => {
    const target = server('floor-bare')
    const before = cpuTime(target.pid)
    const window = await cleanLoad(target, { clients: 4, message: say.text(20), turns: 25 })
    const used = cpuTime(target.pid) - before
    expect(window).toMatchObject({ turns: 100, failed: 0 })
    expect(window.sessions).toHaveLength(4)
    expect(Math.abs(window.cpuPerTurn * 100 - used)).toBeLessThanOrEqual(20)
  })

  it('a failed turn voids its window and says why', async () => {
    const window = await load(server('floor-bare'), {
      clients: 2,
      message: 'nothing the model has a script for',
      turns: 3,
    })
    expect(window.failed).toBe(2)
    expect(window.firstProblem).toContain('an error event')
    await expect(
      cleanLoad(server('floor-raw'), { clients: 1, message: 'again nothing', turns: 1 }),
    ).rejects.toThrow(/1 turns failed/)
  })

  it('memory is read after a collection, and requests of the model are counted', async () => {
    const { heapUsed, rss } = await server('floor-raw').memory()
    expect(heapUsed).toBeGreaterThan(1_000_000)
    expect(rss).toBeGreaterThan(heapUsed)
  })
})

describe('the machine', () => {
  it('a port that answers is refused, a silent one is not', async () => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const address = listener.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await expect(refuseAnswering(port)).rejects.toThrow(/already answers/)
    listener.close()
    await once(listener, 'close')
    await expect(refuseAnswering(port)).resolves.toBeUndefined()
  })
})

describe('the figures', () => {
  const goal = {
    id: 'text',
    title: 'text turn',
    unit: '× bare',
    gate: 0.7,
    target: 0.5,
    bench: 'run',
  }

  it.each([
    [[0.9, 0.49, 0.4], 'target'],
    [[0.9, 0.7, 0.4], 'gate'],
    [[0.9, 0.86, 0.4], 'near'],
    [[0.9, 0.88, 0.4], 'missed'],
    [[], 'no figure'],
  ] as const)('%j stands at %s in a short run, by its median', (values, expected) => {
    expect(standing({ id: 'text', values }, goal, SHORT_TOLERANCE)).toBe(expected)
  })

  it('a whole run allows nothing past the gate', () => {
    expect(standing({ id: 'text', values: [0.9, 0.71, 0.4] }, goal)).toBe('missed')
  })

  it('a gate that is missed, or for which no window was clean, fails the run; a figure without a goal cannot', () => {
    const measurements = [
      { id: 'text', values: [0.88] },
      { id: 'elsewhere', values: [100] },
    ]
    expect(missed(measurements, [goal]).map(({ id }) => id)).toEqual(['text'])
    expect(missed([{ id: 'text', values: [] }], [goal])).toHaveLength(1)
    expect(table(measurements, [goal], { text: { best: 0.55, median: 0.6 } })).toMatch(
      /text turn +0\.88 .* 0\.6 +missed/,
    )
  })

  it('ratios pair the windows of one repetition and leave the void ones out', () => {
    const scenario: Scenario = {
      name: 'text-64',
      message: say.text(20),
      clients: 64,
      seconds: 1,
      adapters: ['floor-bare', 'amodal-pg'],
      goals: { 'amodal-pg': 'text' },
    }
    const window = (
      adapter: AdapterName,
      repetition: number,
      cpuPerTurn: number,
      failed = 0,
    ): MeasuredWindow => ({
      ...{ scenario: 'text-64', adapter, repetition, cpuPerTurn, failed, firstProblem: undefined },
      ...{ turns: 100, turnsPerSecond: 100, median: 1, p95: 1, sessions: [] },
    })
    const windows = [
      window('floor-bare', 1, 4),
      window('amodal-pg', 1, 2),
      window('amodal-pg', 2, 3),
      window('floor-bare', 2, 4, 1),
      window('floor-bare', 3, 5),
      window('amodal-pg', 3, 4),
    ]
    expect(ratios([scenario], windows)).toEqual([{ id: 'text', values: [0.5, 0.8] }])
  })
})
