import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { RuntimeSettings } from '@amodal/plugin-loop'
import type { JsonObject } from '@amodal/sdk'
import { LOCAL_TOKEN_FILE } from '@amodal/sdk/files'
import type { Postgres } from '../support/postgres.ts'
import { LOCAL_TOKEN, type Point } from './control.ts'
import { ServerProcess } from './server-process.ts'
import { NOTER, WORKER } from './plan.ts'
import { Proxy } from './proxy.ts'
import { TURNS, WINDOW } from './scenarios.ts'
import type { World } from './world.ts'

/** ms for which a statement may be held back without being given up. */
const HELD_MS = 60_000

export interface HomeOptions {
  readonly world: World
  /** Address of the outside server, where it is not the world's own. */
  readonly outside?: string
  /** A server with room for a database; the embedded one where it is left out. */
  readonly postgres?: Postgres | undefined
  readonly runtime?: Partial<RuntimeSettings>
  /** Commits on their way at once; many, where tests hold some of them back. */
  readonly flights?: number
  /** Entries of `plugins` in amodal.json beside the usual ones. */
  readonly plugins?: readonly unknown[]
  /** Each server reaches its database over a cable of its own, which can be cut. */
  readonly cables?: boolean
  /** Joins `amodal.json`. */
  readonly manifest?: JsonObject
  /** More files of the agent, by their path. */
  readonly files?: Readonly<Record<string, string>>
}

/** An agent folder with its data, which outlive the servers that run on them. */
export class Home {
  readonly dir: string
  readonly database: 'pglite' | 'postgres'
  readonly #outside: string
  readonly #databaseUrl: string | undefined
  readonly #cables: Map<string, Proxy> | undefined
  readonly #servers: ServerProcess[] = []
  #up = Promise.withResolvers<ServerProcess>()

  private constructor(
    dir: string,
    outside: string,
    databaseUrl: string | undefined,
    cables: boolean,
  ) {
    this.dir = dir
    this.database = databaseUrl === undefined ? 'pglite' : 'postgres'
    this.#outside = outside
    this.#databaseUrl = databaseUrl
    this.#cables = cables ? new Map() : undefined
  }

  static async make({
    world,
    outside = world.outside.url,
    postgres,
    runtime = {},
    flights,
    cables = false,
    files = {},
    plugins = [],
    manifest = {},
  }: HomeOptions): Promise<Home> {
    const dir = await mkdtemp(join(tmpdir(), 'amodal-chaos-'))
    const databaseUrl = await postgres?.createDatabase()
    await writeFile(
      join(dir, 'amodal.json'),
      JSON.stringify({
        name: 'chaos',
        userContext: 'You do what the plan says.',
        runtime: { ...(flights === undefined ? {} : { storeMs: HELD_MS }), ...runtime },
        limits: { maxTurns: TURNS, onMaxTurns: 'ask' },
        models: {
          main: {
            provider: 'openai-compatible',
            model: 'chaos',
            baseUrl: world.modelUrl,
            contextWindow: WINDOW,
          },
          explore: { provider: 'openai-compatible', model: NOTER, baseUrl: world.modelUrl },
        },
        stores:
          databaseUrl === undefined
            ? {}
            : { backend: 'postgres', postgresUrl: cables ? 'env:CHAOS_DATABASE_URL' : databaseUrl },
        // What a sub-agent does is asked for, since its words are a stranger's: but for one of the
        // tools.
        plugins: [
          ['log-json', { level: 'warn', format: 'json' }],
          ['guard-taint', { inside: ['effect_keyed'] }],
          ['sessions', flights === undefined ? {} : { flights, timeoutMs: HELD_MS }],
          ...plugins,
        ],
        ...manifest,
      }),
    )
    await mkdir(join(dir, '.amodal'), { mode: 0o700 })
    await writeFile(join(dir, LOCAL_TOKEN_FILE), LOCAL_TOKEN, { mode: 0o600 })
    await mkdir(join(dir, 'agents'))
    // Its time goes on while its server is dead, and while its siblings are brought to where they
    // are to die.
    await writeFile(
      join(dir, 'agents', `${WORKER}.md`),
      '---\ndescription: Does what its plan says.\ntimeout: 600\nmodelTier: default\n---\nYou do what your plan says.',
    )
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), text)
    }
    return new Home(dir, outside, databaseUrl, cables && databaseUrl !== undefined)
  }

  /**
   * The address of the database for whoever looks at it from outside; `undefined`: only the server
   * can.
   */
  get databaseUrl(): string | undefined {
    return this.#databaseUrl
  }

  /** The servers that serve now, as far as anybody can tell. */
  get serving(): readonly ServerProcess[] {
    return this.#servers.filter(({ serves }) => serves)
  }

  /** The cable between a server and its database, which outlives the server. */
  async cable(name: string): Promise<Proxy> {
    const cable =
      this.#cables?.get(name) ?? (await Proxy.start(Number(new URL(this.#databaseUrl ?? '').port)))
    this.#cables?.set(name, cable)
    return cable
  }

  /** Starts a server and waits until it serves. @param points armed before it does anything */
  async start(name = 'a', points: readonly Point[] = []): Promise<ServerProcess> {
    const server = this.spawn(
      name,
      this.#cables ? { CHAOS_DATABASE_URL: await this.#cabledUrl(name) } : {},
    )
    await server.start(points)
    this.#up.resolve(server)
    void server.exited.then(() => {
      this.#up = Promise.withResolvers()
      const other = this.#serving()
      if (other) this.#up.resolve(other)
    })
    return server
  }

  /** A server that has not been told to start. */
  spawn(name = 'a', env: Readonly<Record<string, string>> = {}): ServerProcess {
    const server = new ServerProcess({
      dir: this.dir,
      preset: this.database === 'postgres' ? 'production' : 'dev',
      outside: this.#outside,
      name,
      env,
    })
    this.#servers.push(server)
    return server
  }

  /** The server that was started under this name last. */
  server(name: string): ServerProcess {
    const server = this.#servers.findLast((one) => one.name === name)
    if (!server) throw new Error(`there is no server ${name}`)
    return server
  }

  /** The address of a server that is up; waits until there is one. */
  async reach(): Promise<string> {
    return (await this.anyServer()).url
  }

  /** A server that is up; waits until there is one. */
  async anyServer(): Promise<ServerProcess> {
    return this.#serving() ?? this.#up.promise
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.kill()))
    await Promise.all([...(this.#cables?.values() ?? [])].map((cable) => cable.close()))
    await rm(this.dir, { recursive: true, force: true })
  }

  async #cabledUrl(name: string): Promise<string> {
    const url = new URL(this.#databaseUrl ?? '')
    url.port = String((await this.cable(name)).port)
    return url.href
  }

  #serving(): ServerProcess | undefined {
    return this.#servers.find((server) => server.serves)
  }
}
