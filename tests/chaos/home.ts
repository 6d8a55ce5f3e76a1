import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RuntimeSettings } from '@amodal/plugin-loop'
import type { Postgres } from '../support/postgres.ts'
import type { Point } from './control.ts'
import { ServerProcess } from './server-process.ts'
import { NOTER, WORKER } from './plan.ts'
import { TURNS, WINDOW } from './scenarios.ts'
import type { World } from './world.ts'

/** ms for which a statement may be held back without being given up. */
const HELD_MS = 60_000

export interface HomeOptions {
  readonly world: World
  /** A server with room for a database; the embedded one where it is left out. */
  readonly postgres?: Postgres | undefined
  readonly runtime?: Partial<RuntimeSettings>
  /** Commits on their way at once; many, where tests hold some of them back. */
  readonly flights?: number
}

/** An agent folder with its data, which outlive the servers that run on them. */
export class Home {
  readonly dir: string
  readonly database: 'pglite' | 'postgres'
  readonly #outside: string
  readonly #servers: ServerProcess[] = []
  #up = Promise.withResolvers<ServerProcess>()

  private constructor(dir: string, database: Home['database'], outside: string) {
    this.dir = dir
    this.database = database
    this.#outside = outside
  }

  static async make({ world, postgres, runtime = {}, flights }: HomeOptions): Promise<Home> {
    const dir = await mkdtemp(join(tmpdir(), 'amodal-chaos-'))
    await writeFile(join(dir, 'amodal.json'), JSON.stringify({
      name: 'chaos', userContext: 'You do what the plan says.', runtime: { ...flights === undefined ? {} : { storeMs: HELD_MS }, ...runtime }, limits: { maxTurns: TURNS, onMaxTurns: 'ask' },
      models: {
        main: { provider: 'openai-compatible', model: 'chaos', baseUrl: world.modelUrl, contextWindow: WINDOW },
        explore: { provider: 'openai-compatible', model: NOTER, baseUrl: world.modelUrl },
      },
      stores: postgres ? { backend: 'postgres', postgresUrl: await postgres.createDatabase() } : {},
      // What a sub-agent does is asked for, since its words are a stranger's: but for one of the tools.
      plugins: [['log-json', { level: 'warn', format: 'json' }], ['guard-taint', { inside: ['effect_keyed'] }], ['sessions', flights === undefined ? {} : { flights, timeoutMs: HELD_MS }]],
    }))
    await mkdir(join(dir, 'agents'))
    // Its time goes on while its server is dead, and while its siblings are brought to where they are to die.
    await writeFile(join(dir, 'agents', `${WORKER}.md`), '---\ndescription: Does what its plan says.\ntimeout: 600\n---\nYou do what your plan says.')
    return new Home(dir, postgres ? 'postgres' : 'pglite', world.outside.url)
  }

  /** Starts a server and waits until it serves. @param points armed before it does anything */
  async start(name = 'a', points: readonly Point[] = []): Promise<ServerProcess> {
    const server = this.spawn(name)
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
  spawn(name = 'a'): ServerProcess {
    const server = new ServerProcess({ dir: this.dir, preset: this.database === 'postgres' ? 'production' : 'dev', outside: this.#outside, name })
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
    return (this.#serving() ?? await this.#up.promise).url
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.kill()))
    await rm(this.dir, { recursive: true, force: true })
  }

  #serving(): ServerProcess | undefined {
    return this.#servers.find((server) => server.serves)
  }
}
