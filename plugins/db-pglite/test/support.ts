import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import {
  Database,
  definePlugin,
  explain,
  Kernel,
  Log,
  use,
  type Entry,
  type Logger,
  type Row,
} from '@amodal/sdk'
import { dbPglite } from '../src/index.ts'

export const never = new AbortController().signal

/** A folder for the test, gone after it. */
export async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'amodal-pglite-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

export interface Booted {
  readonly kernel: Kernel
  readonly database: Database
  /** Events of the log, in order. */
  readonly logged: readonly {
    readonly event: string
    readonly data: Readonly<Record<string, unknown>>
  }[]
  rows(sql: string, ...parameters: readonly unknown[]): Promise<readonly Row[]>
}

export async function boot(
  config: Readonly<Record<string, unknown>>,
  more: readonly Entry[] = [],
): Promise<Booted> {
  const logged: { event: string; data: Readonly<Record<string, unknown>> }[] = []
  const write = (event: string, data: Readonly<Record<string, unknown>> = {}): void =>
    void logged.push({ event, data })
  const log: Logger = {
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: () => log,
  }
  const kept = definePlugin({
    name: 'kept-log',
    version: '1.0.0',
    provides: [Log],
    setup: ({ provide }) => provide(Log, () => log),
  })
  const made = await Kernel.create([use(kept), use(dbPglite, config), ...more])
  if (!made.ok) throw new Error(explain(made.error), { cause: made.error })
  const kernel = made.value
  onTestFinished(async () => {
    await kernel.close()
  })
  const database = kernel.scope.get(Database)
  return {
    kernel,
    database,
    logged,
    async rows(sql, ...parameters) {
      const done = await database.run({ sql, parameters }, never)
      if (!done.ok) throw new Error(done.error.message, { cause: done.error })
      return done.value
    },
  }
}

/** What stops the kernel from starting. */
export async function refusal(config: Readonly<Record<string, unknown>>): Promise<string> {
  const made = await Kernel.create([use(dbPglite, config)])
  if (!made.ok) return explain(made.error)
  await made.value.close()
  return 'it started'
}

/** Another process that holds the folder; resolves once it has written a row. */
export async function holder(...args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('fixtures/hold.ts', import.meta.url)), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child.stdout, 'data')
  return child
}
