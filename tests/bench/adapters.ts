/**
 * What is measured: how to start each server. All of them speak the same little protocol (`POST
 * /chat/stream {message, session_id?}` answered by `init`, `text_delta` and `done` events). The
 * floors take `--port` and `--model-url`. Ours is the command line on a folder, as users start it.
 */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { guards } from '@amodal/presets'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { pinned } from './machine.ts'
import { type PeerName, peers } from './peers/catalog.ts'
import { type ServerCommand, type ServerProcess, startServer } from './server-process.ts'

export const adapterNames = [
  'floor-bare',
  'floor-raw',
  'floor-proxy',
  'amodal-pg',
  'amodal-pglite',
  'amodal-open',
] as const
export type AdapterName = (typeof adapterNames)[number]

export interface StartOptions {
  /** The Postgres database or PGlite folder to go on with. Default: a new one. */
  readonly database?: string
  /** Bytes that the histories of the server's idle sessions may take together. */
  readonly residentBytes?: number
  /** The API that the agent has as its connection `crm`. Default: it has none. */
  readonly api?: ServerProcess
  /** Tools that the agent has. Default: one. */
  readonly tools?: number
  /** Further entries of `plugins` in its manifest. */
  readonly plugins?: readonly unknown[]
  /** The folder of Node's compile cache. Default: one that all servers of this bench share. */
  readonly compileCache?: string
  /** Joins its manifest. */
  readonly manifest?: object
  /** Further files of the agent, by their path. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether a new database of our own starts from the shipped image. Default true. */
  readonly image?: boolean
}

/** The surroundings of a benchmark. Everything it starts ends with it. */
export interface Bench {
  readonly model: ServerProcess
  start(name: AdapterName, options?: StartOptions): Promise<ServerProcess>
  /** The server of a peer, whose packages are installed in the folder. */
  startPeer(name: PeerName, packages: string): Promise<ServerProcess>
  /** An API of loopback, for servers to call. */
  startApi(): Promise<ServerProcess>
  /** An OTLP receiver of loopback. One that hangs takes what is sent and never answers. */
  startReceiver(options?: { readonly hangs?: boolean }): Promise<ServerProcess>
  /**
   * So many subscribers of a server's events, or of another stream, all of them there. What they
   * heard is counted as requests.
   */
  subscribe(
    server: ServerProcess,
    count: number,
    options?: { readonly stalled?: boolean; readonly path?: string },
  ): Promise<ServerProcess>
  /** An empty database on the bench's Postgres, which is started when first needed. */
  database(): Promise<string>
  /** An empty folder. */
  folder(): Promise<string>
}

export interface BenchOptions {
  /** Whether Postgres waits for the disk at each commit. Default true. */
  readonly durable?: boolean
  /** Further settings of Postgres. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Runs `work` with a model server of its own, and stops whatever it started. */
export async function withBench<T>(
  work: (bench: Bench) => Promise<T>,
  { durable = true, settings = {} }: BenchOptions = {},
): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'amodal-bench-'))
  const started: ServerProcess[] = []
  let postgres: Promise<Postgres> | undefined
  const track = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
    const server = await starting
    started.push(server)
    return server
  }

  try {
    const compileCache = join(home, 'compile-cache')
    const model = await track(
      startServer({ file: 'model-server.ts', args: [], role: 'model', compileCache }),
    )
    const bench: Bench = {
      model,
      start: async (name, options = {}) =>
        track(
          startServer({
            ...(await commandOf(name, options, bench)),
            role: 'server',
            compileCache: options.compileCache ?? compileCache,
          }),
        ),
      startPeer: async (name, packages) => {
        const database = peers[name].hasDatabase ? ['--database', await bench.database()] : []
        const args = ['--model-url', modelUrlOf(bench), '--packages', packages, ...database]
        return track(startServer({ file: `peers/${name}.ts`, args, role: 'server', compileCache }))
      },
      startApi: () =>
        track(startServer({ file: 'api-server.ts', args: [], role: 'model', compileCache })),
      startReceiver: ({ hangs = false } = {}) =>
        track(
          startServer({
            file: 'otlp-receiver.ts',
            args: hangs ? ['--hangs'] : [],
            role: 'model',
            compileCache,
          }),
        ),
      subscribe: ({ port }, count, { stalled = false, path } = {}) =>
        track(
          startServer({
            file: 'subscribers.ts',
            args: [
              '--target',
              String(port),
              '--count',
              String(count),
              ...(path === undefined ? [] : ['--path', path]),
              ...(stalled ? ['--stalled'] : []),
            ],
            role: 'load',
            compileCache,
          }),
        ),
      database: async () =>
        (
          await (postgres ??= startPostgres({ durable, settings, prefix: pinned('postgres') }))
        ).createDatabase(),
      folder: () => mkdtemp(join(home, 'folder-')),
    }
    return await work(bench)
  } finally {
    await Promise.all(started.map((server) => server.stop()))
    await (await postgres)?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

const modelUrlOf = ({ model }: Bench): string => `http://127.0.0.1:${model.port}/v1`

type Command = Pick<ServerCommand, 'file' | 'args' | 'ready' | 'preload'>

async function commandOf(name: AdapterName, options: StartOptions, bench: Bench): Promise<Command> {
  const modelUrl = modelUrlOf(bench)
  switch (name) {
    case 'floor-bare':
    case 'floor-raw':
    case 'floor-proxy':
      return { file: `floors/${name.slice('floor-'.length)}.ts`, args: ['--model-url', modelUrl] }
    case 'amodal-pg': {
      const postgresUrl = options.database ?? (await bench.database())
      return amodal(
        bench,
        modelUrl,
        { preset: 'production', stores: { backend: 'postgres', postgresUrl } },
        options,
      )
    }
    case 'amodal-open': {
      const postgresUrl = options.database ?? (await bench.database())
      return amodal(
        bench,
        modelUrl,
        { preset: 'production', stores: { backend: 'postgres', postgresUrl }, plugins: unguarded },
        options,
      )
    }
    case 'amodal-pglite': {
      const dataDir = options.database ?? (await bench.folder())
      return amodal(
        bench,
        modelUrl,
        {
          preset: 'dev',
          stores: { dataDir },
          ...(options.image === false && { plugins: [['db-pglite', { image: 'none' }]] }),
        },
        options,
      )
    }
    default:
      return name satisfies never
  }
}

/** The part of `amodal.json` in which our servers differ. */
interface Wiring {
  readonly preset: string
  readonly stores: object
  readonly plugins?: readonly unknown[]
}

/** What is out where nothing is guarded: the guards, and nothing else. */
const unguarded = guards.map((guard) => ({
  without: guard.kind === 'use' ? guard.plugin.name : guard.name,
  unsafe: true,
}))

/**
 * `amodal dev` on an agent with a one-line prompt and the bench tool, with everything a real one
 * does and nothing else.
 */
async function amodal(
  bench: Bench,
  baseUrl: string,
  wiring: Wiring,
  { residentBytes, api, tools = 1, plugins = [], files = {}, manifest: more = {} }: StartOptions,
): Promise<Command> {
  const dir = await bench.folder()
  const manifest = {
    name: 'bench',
    userContext: 'You are a helpful assistant.',
    models: { main: { provider: 'openai-compatible', model: 'bench', baseUrl } },
    ...wiring,
    plugins: [[place('bench-tool.ts'), { tools }], ...(wiring.plugins ?? []), ...plugins],
    runtime: { ...(residentBytes !== undefined && { residentBytes }) },
    ...more,
  }
  await writeFile(join(dir, 'amodal.json'), JSON.stringify(manifest))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  if (api) {
    await writeConnection(join(dir, 'connections', 'crm'), api)
    await writeFile(join(dir, '.env'), 'BENCH_TOKEN=crm-4f1c9a7e2b7d4c0a\n')
  }
  const ready = /^ *Chat +→ http:\/\/127\.0\.0\.1:(\d+)\//m
  return {
    file: '../../cli/dist/bin.js',
    args: ['dev', '--dir', dir],
    preload: 'answer-probes.ts',
    ready,
  }
}

/**
 * A connection as agents have them: some endpoints ask, some fields are hidden, all is restricted
 * by rules.
 */
async function writeConnection(folder: string, api: ServerProcess): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'spec.json'),
    JSON.stringify({
      baseUrl: `http://127.0.0.1:${api.port}`,
      auth: { type: 'bearer', token: 'env:BENCH_TOKEN' },
    }),
  )
  await writeFile(
    join(folder, 'access.json'),
    JSON.stringify({
      endpoints: {
        'GET /contacts/{id}': { returns: ['Contact'] },
        'POST /contacts': {
          returns: ['Contact'],
          confirm: true,
          thresholds: [{ field: 'body.credit_limit', above: 10_000, escalate: 'review' }],
        },
        'DELETE /contacts/{id}': 'never',
      },
      fieldRestrictions: [
        {
          entity: 'Contact',
          field: 'tax_number',
          policy: 'never_retrieve',
          sensitivity: 'pii_identifier',
        },
        {
          entity: 'Contact',
          field: 'email',
          policy: 'retrieve_but_redact',
          sensitivity: 'pii_contact',
        },
      ],
    }),
  )
}

const place = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
