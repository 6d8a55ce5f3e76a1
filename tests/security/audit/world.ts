import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dbPglite } from '@amodal/plugin-db-pglite'
import { dbPostgres } from '@amodal/plugin-db-postgres'
import { explainStart, startFolder } from '@amodal/presets'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import {
  Database,
  type Entry,
  explain,
  type JsonObject,
  Kernel,
  type Row,
  type Statement,
  unwrap,
  use,
} from '@amodal/sdk'
import type { ModelServer } from '@amodal/sdk/testing'
import pg from 'pg'
import { expect } from 'vitest'
import { serve } from '../../e2e/server.ts'
import type { Postgres } from '../../support/postgres.ts'
import { runCommand } from '../../support/command.ts'

/** How a command ended, and everything that it printed. */
export interface Said {
  readonly code: number
  readonly said: string
}

/** s since the epoch: later than any test. */
const NEVER = 4_000_000_000

/**
 * Everything that there is of a server that is stopped: its folder, a second folder of checkpoints,
 * its database.
 */
export class World implements AsyncDisposable {
  /** Holds `agent` and `outside`. */
  readonly home: string
  readonly #postgres: Postgres | undefined
  readonly #url: string | undefined

  constructor(home: string, postgres: Postgres | undefined, url: string | undefined) {
    this.home = home
    this.#postgres = postgres
    this.#url = url
  }

  static async make(model: ModelServer, postgres?: Postgres): Promise<World> {
    const world = new World(
      await mkdtemp(join(tmpdir(), 'amodal-tampered-')),
      postgres,
      await postgres?.createDatabase(),
    )
    await world.#configure(model.url)
    return world
  }

  get dir(): string {
    return join(this.home, 'agent')
  }
  get audit(): string {
    return join(this.dir, '.amodal', 'audit')
  }
  get outside(): string {
    return join(this.home, 'outside')
  }
  /** The file that lines are added to. */
  get file(): string {
    return join(this.dir, 'lines.jsonl')
  }

  get #data(): string {
    return join(this.dir, '.amodal', 'store-data')
  }

  /** The same a second time, for somebody to change. */
  async copy(): Promise<World> {
    const home = await mkdtemp(join(tmpdir(), 'amodal-tampered-'))
    await cp(this.home, home, { recursive: true })
    const world = new World(home, this.#postgres, await this.#postgres?.createDatabase(this.#url))
    await world.#configure(undefined)
    return world
  }

  /** Puts the database of another one in the place of this one's. */
  async takeDatabase(other: World): Promise<World> {
    const url = other.#url
    if (!this.#postgres || url === undefined) {
      await rm(this.#data, { recursive: true, force: true })
      await cp(other.#data, this.#data, { recursive: true })
      return this
    }
    const world = new World(this.home, this.#postgres, await this.#postgres.createDatabase(url))
    await world.#configure(undefined)
    return world
  }

  /** Messages of two tenants, in a server that is stopped afterwards. */
  async talk(): Promise<void> {
    const started = await startFolder({ dir: this.dir, env: {}, port: 0, logLevel: 'none' })
    if (!started.ok) throw new Error(explainStart(started.error))
    await say(`http://127.0.0.1:${started.value.kernel.scope.get(HttpApp).address()?.port ?? 0}`)
    await started.value.close('test')
  }

  /**
   * The same in a server that cannot make checkpoints, and is then killed. The next one finds the
   * lines.
   */
  async talkAndDie(): Promise<void> {
    const lock = join(this.audit, 'checkpoints.jsonl.lock')
    await writeFile(lock, '')
    await utimes(lock, NEVER, NEVER) // of somebody who has just taken it
    const ends = async (): Promise<number> =>
      (await readFile(this.file, 'utf8')).split('"kind":"run_end"').length
    const before = await ends()
    const server = await serve(this.dir)
    await say(server.url)
    while ((await ends()) < before + 2) await sleep(20)
    await server.process.kill('SIGKILL')
    await rm(lock, { force: true })
  }

  /** @returns what the check says */
  verify(...argv: readonly string[]): Promise<Said> {
    return this.ops('audit', 'verify', ...argv)
  }

  /** Any other of these commands. */
  ops(...argv: readonly string[]): Promise<Said> {
    return runCommand(['ops', ...argv, '--dir', this.dir], { timeoutMs: 60_000 })
  }

  /** Statements through the plugin of the database, with what these entries add to it. */
  async through(entries: readonly Entry[], ...statements: readonly Statement[]): Promise<void> {
    const database =
      this.#url === undefined
        ? [use(dbPglite, { dataDir: this.#data })]
        : [use(secretsEnv, { env: {} }), use(dbPostgres, { url: this.#url })]
    const kernel = unwrap(await Kernel.create([...database, ...entries]), explain)
    try {
      for (const statement of statements)
        unwrap(
          await kernel.scope.get(Database).run(statement, AbortSignal.timeout(30_000)),
          ({ message }) => message,
        )
    } finally {
      await kernel.close()
    }
  }

  /** Past the triggers, as the owner of the database can. */
  async sql(...statements: readonly string[]): Promise<readonly Row[]> {
    const all = [
      'alter table audit_line disable trigger user',
      'alter table audit_head disable trigger user',
      ...statements,
    ]
    if (this.#url === undefined) {
      const kernel = unwrap(await Kernel.create([use(dbPglite, { dataDir: this.#data })]), explain)
      try {
        let rows: readonly Row[] = []
        for (const sql of all)
          rows = unwrap(
            await kernel.scope
              .get(Database)
              .run({ sql, parameters: [] }, AbortSignal.timeout(30_000)),
            ({ message }) => message,
          )
        return rows
      } finally {
        await kernel.close()
      }
    }
    const client = new pg.Client({ connectionString: this.#url })
    await client.connect()
    try {
      let rows: readonly Row[] = []
      for (const one of all) rows = (await client.query<Record<string, unknown>>(one)).rows
      return rows
    } finally {
      await client.end()
    }
  }

  async #configure(modelUrl: string | undefined): Promise<void> {
    const path = join(this.dir, 'amodal.json')
    const before =
      modelUrl === undefined
        ? (JSON.parse(await readFile(path, 'utf8')) as JsonObject)
        : {
            // written here
            name: 'tampered',
            models: {
              main: { provider: 'openai-compatible', model: 'scripted', baseUrl: modelUrl },
            },
            plugins: [['audit', { file: 'lines.jsonl', checkpoints: '../outside' }]],
          }
    await mkdir(this.dir, { recursive: true })
    await writeFile(
      path,
      JSON.stringify({
        ...before,
        ...(this.#url === undefined
          ? {}
          : { stores: { backend: 'postgres', postgresUrl: this.#url } }),
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.home, { recursive: true, force: true })
  }
}

async function say(url: string): Promise<void> {
  for (const scope of ['acme', 'local']) {
    const response = await fetch(`${url}/chat/sync`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'hello', ...(scope === 'local' ? {} : { scope_id: scope }) }),
    })
    expect(response.status, await response.text()).toBe(200)
  }
}
