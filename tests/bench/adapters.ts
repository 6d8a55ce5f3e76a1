/**
 * What is measured: how to start each server. All of them speak the same little protocol (`POST
 * /chat/stream {message, session_id?}` answered by `init`, `text_delta` and `done` events), take
 * `--port` and `--model-url`, and print `ready <port>`.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Postgres, startPostgres } from '../support/postgres.ts'
import { pinned } from './machine.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export const adapterNames = ['floor-bare', 'floor-raw', 'floor-proxy', 'amodal-pg', 'amodal-pglite'] as const
export type AdapterName = (typeof adapterNames)[number]

export interface StartOptions {
  /** The Postgres database or PGlite folder to go on with. Default: a new one. */
  readonly database?: string
  /** Characters of history that the server's resident sessions may keep together. */
  readonly residentChars?: number
}

/** The surroundings of a benchmark. Everything it starts ends with it. */
export interface Bench {
  readonly model: ServerProcess
  start(name: AdapterName, options?: StartOptions): Promise<ServerProcess>
  /** An empty database on the bench's Postgres, which is started when first needed. */
  database(): Promise<string>
  /** An empty folder. */
  folder(): Promise<string>
}

export interface BenchOptions {
  /** Whether Postgres waits for the disk at each commit. Default true. */
  readonly durable?: boolean
}

/** Runs `work` with a model server of its own, and stops whatever it started. */
export async function withBench<T>(work: (bench: Bench) => Promise<T>, { durable = true }: BenchOptions = {}): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'amodal-bench-'))
  const started: ServerProcess[] = []
  let postgres: Promise<Postgres> | undefined
  const track = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
    const server = await starting
    started.push(server)
    return server
  }

  try {
    const model = await track(startServer({ file: 'model-server.ts', args: [], role: 'model' }))
    const bench: Bench = {
      model,
      start: async (name, options = {}) => track(startServer({ ...(await commandOf(name, options, bench)), role: 'server' })),
      database: async () => (await (postgres ??= startPostgres({ durable, prefix: pinned('postgres') }))).createDatabase(),
      folder: () => mkdtemp(join(home, 'folder-')),
    }
    return await work(bench)
  } finally {
    await Promise.all(started.map((server) => server.stop()))
    await (await postgres)?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

interface Command {
  readonly file: string
  readonly args: readonly string[]
}

async function commandOf(name: AdapterName, options: StartOptions, bench: Bench): Promise<Command> {
  const model = ['--model-url', `http://127.0.0.1:${bench.model.port}/v1`]
  const resident = options.residentChars === undefined ? [] : ['--resident-chars', String(options.residentChars)]
  switch (name) {
    case 'floor-bare':
    case 'floor-raw':
    case 'floor-proxy':
      return { file: `floors/${name.slice('floor-'.length)}.ts`, args: model }
    case 'amodal-pg': {
      const url = options.database ?? (await bench.database())
      return { file: 'amodal-server.ts', args: [...model, '--database', url, ...resident] }
    }
    case 'amodal-pglite': {
      const folder = options.database ?? (await bench.folder())
      return { file: 'amodal-server.ts', args: [...model, '--database', `pglite:${folder}`, ...resident] }
    }
    default:
      return name satisfies never
  }
}
