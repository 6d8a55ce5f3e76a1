import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { withBench } from './adapters.ts'
import { type ComparedName, comparisonScenarios, parseComparison, startPeers } from './against.ts'
import { peerNames, peers } from './peers/catalog.ts'
import { installPackages } from './peers/install.ts'
import { packagesIn } from './peers/packages.ts'
import { comparisonTable } from './peers/table.ts'
import type { MeasuredWindow } from './windows.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'bench-against-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

describe('the options', () => {
  it('names peers in any order, each once, with five repetitions of five seconds', () => {
    expect(parseComparison({ against: 'openai-agents, mastra,mastra' })).toEqual({
      ok: true,
      comparison: { peers: ['mastra', 'openai-agents'], repetitions: 5, seconds: 5 },
    })
    expect(parseComparison({ against: 'mastra', repetitions: '2', seconds: '1.5' })).toMatchObject({
      comparison: { repetitions: 2, seconds: 1.5 },
    })
  })

  it.each([
    [{ against: 'mastra,crew' }, /no peer crew; there are mastra, langgraph, openai-agents/],
    [{ against: ' , ' }, /names no peer; there are mastra/],
    [{ against: 'mastra', repetitions: '0' }, /--repetitions takes/],
    [{ against: 'mastra', repetitions: '1.5' }, /--repetitions takes/],
    [{ against: 'mastra', seconds: 'long' }, /--seconds takes/],
  ])('%j is refused', (options, problem) => {
    expect(parseComparison(options)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(problem) as unknown,
    })
  })

  it.runIf(process.platform === 'linux')(
    'the bench ends with 1 and names the peers there are where one is unknown',
    async () => {
      const run = fileURLToPath(new URL('run.ts', import.meta.url))
      await expect(
        promisify(execFile)(process.execPath, [run, '--against', 'crew']),
      ).rejects.toMatchObject({
        code: 1,
        stderr: '--against: no peer crew; there are mastra, langgraph, openai-agents\n',
      })
    },
  )

  it('every version is exact', () => {
    for (const name of peerNames)
      for (const version of Object.values(peers[name].packages))
        expect(version).toMatch(/^[1-9]\d*\.\d+\.\d+$|^0\.\d*[1-9]\d*\.\d+$/)
  })
})

describe('an installation', () => {
  let registry: Server | undefined
  afterEach(() => registry?.close())

  it('that fails names the package and the reason, and leaves no folder', async () => {
    registry = createServer((_, response) => {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"error":"not found"}')
    }).listen(0, '127.0.0.1')
    await once(registry, 'listening')
    const address = registry.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const installation = await installPackages(
      'mastra',
      { '@bench/absent': '1.2.3' },
      {
        cache: join(home, 'cache'),
        env: {
          PATH: process.env['PATH'],
          HOME: home,
          npm_config_registry: `http://127.0.0.1:${port}/`,
        },
      },
    )
    expect(installation).toMatchObject({ ok: false })
    const problem = installation.ok ? '' : installation.problem
    expect(problem).toContain('npm did not install @bench/absent@1.2.3: ')
    expect(problem).toMatch(/E404/)
    expect(problem).not.toContain('complete log')
    expect(await readdir(join(home, 'cache'))).toEqual([])
  })

  it('without npm says so', async () => {
    expect(
      await installPackages('mastra', { a: '1.0.0' }, { cache: home, env: { PATH: home } }),
    ).toEqual({ ok: false, problem: 'npm did not install a@1.0.0: there is no npm on the PATH' })
  })

  it('is imported from its folder, and a later run with the same versions needs no npm', async () => {
    const source = join(home, 'source')
    await mkdir(source)
    await writeFile(
      join(source, 'package.json'),
      '{"name":"bench-local","version":"1.0.0","type":"module","exports":"./main.js"}',
    )
    await writeFile(join(source, 'main.js'), 'export const answer = 42\n')
    const packages = { 'bench-local': `file:${source}` }
    const env = { PATH: process.env['PATH'], HOME: home }
    const first = await installPackages('local', packages, { cache: home, env })
    if (!first.ok) throw new Error(first.problem)
    expect(first.reused).toBe(false)
    const load = await packagesIn(first.folder)
    expect(await load('bench-local')).toMatchObject({ answer: 42 })

    const second = { cache: home, env: { PATH: source } }
    expect(await installPackages('local', packages, second)).toEqual({ ...first, reused: true })
    const another = { 'bench-local': `file:${source}`, other: '1.0.0' }
    expect(await installPackages('local', another, second)).toMatchObject({ ok: false })
  })

  it('that failed, or whose server does not start, makes its peer absent with the reason', async () => {
    const started = await withBench((bench) =>
      startPeers(
        bench,
        new Map([
          ['langgraph', { ok: false, problem: 'npm did not install it' }],
          ['openai-agents', { ok: true, folder: home, reused: false }],
        ]),
      ),
    )
    expect([...started.servers.keys()]).toEqual([])
    expect(started.absent).toEqual([
      { name: 'langgraph', problem: 'npm did not install it' },
      {
        name: 'openai-agents',
        problem: expect.stringMatching(
          /^peers\/openai-agents\.ts ended with 1 before it was ready:[^]*load\.mjs/,
        ) as unknown,
      },
    ])
  })
})

describe('the table', () => {
  const window = (
    adapter: ComparedName,
    scenario: string,
    repetition: number,
    cpuPerTurn: number,
    failed = 0,
  ): MeasuredWindow<ComparedName> => ({
    ...{ scenario, adapter, repetition, cpuPerTurn, failed, turnsPerSecond: 1000 / cpuPerTurn },
    ...{ firstProblem: failed > 0 ? 'an error event' : undefined },
    ...{ turns: 100, median: 1, p95: 1, sessions: [] },
  })

  it('has a line for each server and says which windows are void', () => {
    const list = comparisonScenarios(['floor-bare', 'mastra'], 1).slice(0, 2)
    const table = comparisonTable<ComparedName>(
      list,
      [
        { name: 'floor-bare', title: 'floor-bare', persists: 'nothing', bytes: 100 * 2 ** 20 },
        { name: 'mastra', title: 'mastra@1.2.3', persists: 'messages', bytes: 300 * 2 ** 20 },
      ],
      [
        ...[1, 2, 3].map((repetition) => window('floor-bare', 'text-1', repetition, 2)),
        window('floor-bare', 'text-16', 1, 2),
        ...[4, 5, 9].map((cpu, n) => window('mastra', 'text-1', n + 1, cpu, n === 2 ? 3 : 0)),
        window('mastra', 'text-16', 1, 9, 1),
      ],
    )
    expect(table.split('\n')).toEqual([
      'server        persists  text-1                    text-16    memory',
      'floor-bare    nothing   1×  500/s                 1×  500/s  100 MB',
      'mastra@1.2.3  messages  2×  200/s  (1 of 3 void)  void       300 MB',
      '',
      expect.stringContaining('as a multiple of floor-bare'),
      'Void: mastra, text-1, repetition 3: 3 turns failed, the first with an error event',
      'Void: mastra, text-16, repetition 1: 1 turns failed, the first with an error event',
    ])
  })
})
