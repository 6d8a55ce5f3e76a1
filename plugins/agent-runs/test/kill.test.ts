/** Workers that are killed with runs in their hands: another one finishes all of them. */

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import dbPostgres from '@amodal/plugin-db-postgres'
import secretsEnv from '@amodal/plugin-secrets-env'
import queueDatabase from '@amodal/plugin-queue-database'
import { Database, explain, hashOf, JobQueue, Kernel, unwrap, use } from '@amodal/sdk'
import { runQuery, sql } from '@amodal/sdk/database'
import { endsWithToolResult, reply, startModelServer } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../../tests/support/postgres.ts'
import { RunJobs } from '../src/run-jobs.ts'
import { RunTable } from '../src/run-table.ts'

const RUNS = 12
const WORKER = join(import.meta.dirname, 'support/worker-process.ts')

/** Counts what was written, by its key; a repeat under a key is dropped. */
async function target() {
  const lines = new Map<string, string>()
  let held = true
  const waiting: (() => void)[] = []
  const open = { now: 0, most: 0 }
  const server = createServer((request, response) => {
    let text = ''
    open.most = Math.max(open.most, ++open.now)
    response.once('close', () => open.now--)
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const key = String(request.headers['idempotency-key'])
      lines.set(key, lines.get(key) ?? text)
      const answer = (): void => void response.end('written')
      if (held) waiting.push(answer)
      else answer()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('it does not listen')
  return {
    url: `http://127.0.0.1:${address.port}`,
    lines,
    waiting,
    /** Writes that are in progress, and the most that were. */
    open,
    /** Answers from now on; until then every write is open. */
    release: () => {
      held = false
      for (const answer of waiting.splice(0)) answer()
    },
  }
}

async function startWorker(...urls: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--conditions=@amodal/source', WORKER, ...urls], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

const until = async (fact: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** A database, a model whose runs write one line each, and a process that starts runs. */
async function setting() {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const url = await postgres.createDatabase()
  const model = await startModelServer({
    script: (request) =>
      endsWithToolResult(request)
        ? reply.text('Written.')
        : reply.toolCalls({
            name: 'write_line',
            arguments: { line: /line \d+/.exec(JSON.stringify(request.messages))?.[0] ?? 'none' },
          }),
  })
  onTestFinished(() => model.close())
  const written = await target()
  const kernel = unwrap(
    await Kernel.create([
      use(secretsEnv, { env: {} }),
      use(dbPostgres, { url, max: 3 }),
      use(queueDatabase, { work: false }),
    ]),
    explain,
  )
  onTestFinished(async () => void (await kernel.close()))
  const database = kernel.scope.get(Database)
  const table = new RunTable(database, new RunJobs(kernel.scope.get(JobQueue)).startIn)
  const statuses = async (): Promise<readonly (string | null)[]> => {
    const ends = sql<{ status: string | null }>`select status from agent_runs_run`
    const rows = await runQuery(database, ends, AbortSignal.timeout(10_000))
    return rows.ok ? rows.value.map(({ status }) => status) : [null]
  }
  return {
    written,
    worker: () => startWorker(url, model.url, written.url),
    start: async (profile: string) => {
      for (let n = 0; n < RUNS; n++) {
        const session = `sess_${hashOf({ n }).slice(0, 24)}`
        const made = await table.insert({
          tenant: 'acme',
          principal: 'ann',
          session,
          profile,
          roles: [],
          idem: `key ${n}`,
          request_hash: 'same',
          task: `Write line ${n}`,
          params: null,
          limits: {},
          webhook: null,
          webhook_link: false,
        })
        expect(made.ok ? '' : made.error.message).toBe('')
      }
    },
    ended: async () => {
      await until(async () => (await statuses()).every((status) => status !== null))
      expect(await statuses()).toEqual(Array.from({ length: RUNS }, () => 'complete'))
      expect([...written.lines.values()].sort()).toEqual(
        Array.from({ length: RUNS }, (_, n) => `line ${n}`).sort(),
      )
    },
  }
}

test('a second process finishes the runs of one that was killed, each effect once', async () => {
  const { written, worker, start, ended } = await setting()
  const first = await worker()
  await start('agent')
  // every run has sent its effect, and none has its outcome
  await until(() => written.waiting.length === RUNS)
  first.kill('SIGKILL')
  await once(first, 'exit')
  written.release()
  await worker()
  await ended()
}, 180_000)

test('a profile has two runs at the same time, on two processes of which one is killed', async () => {
  const { written, worker, start, ended } = await setting()
  const [first] = [await worker(), await worker()]
  await start('narrow')
  await until(() => written.open.now === 2)
  first.kill('SIGKILL')
  await once(first, 'exit')
  // What it held is taken over, so its places are not lost.
  await until(() => written.open.now === 2)
  written.release()
  await ended()
  expect(written.open.most).toBe(2)
}, 180_000)
