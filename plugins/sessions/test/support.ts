import { randomUUID } from 'node:crypto'
import dbPglite from '@amodal/plugin-db-pglite'
import {
  Database,
  definePlugin,
  explain,
  instanceId,
  Kernel,
  sessionId,
  SessionStore,
  tenantId,
  unwrap,
  use,
  type Accept,
  type Commit,
  type Failure,
  type SessionRef,
  type SessionRecord,
  type Result,
  type Row,
  type Statement,
} from '@amodal/sdk'
import { sessions } from '../src/index.ts'
import { DatabaseSessions, type SessionsOptions } from '../src/store.ts'

export const signal = new AbortController().signal
export const HERE = instanceId('here')
export const OPTIONS: SessionsOptions = {
  notifyInstances: false,
  flights: 1,
  timeoutMs: 10_000,
  parkedTtlMs: 60_000,
  keyTtlMs: 60_000,
}

export type Run = (statement: Statement) => Promise<Result<readonly Row[], Failure>>

/**
 * Stands between the store and the database: it records statements, and may replace how they are
 * run.
 */
export interface Between {
  readonly statements: string[]
  act: (statement: Statement, run: Run) => ReturnType<Run>
  /** Forgets the statements, and passes every statement on. */
  readonly reset: () => void
}

export interface Booted {
  readonly database: Database
  readonly store: SessionStore
  readonly between: Between
  readonly close: () => Promise<void>
}

/** A kernel with PGlite in memory and the plugin. */
export async function boot(): Promise<Booted> {
  const between: Between = {
    statements: [],
    act: (statement, run) => run(statement),
    reset() {
      between.statements.length = 0
      between.act = (statement, run) => run(statement)
    },
  }
  const watched = definePlugin({
    name: 'between',
    version: '1.0.0',
    decorates: [Database],
    setup: ({ decorate }) =>
      decorate(Database, (inner) => ({
        dialect: inner.dialect,
        exclusive: inner.exclusive,
        run: (statement, aborts) => {
          between.statements.push(statement.sql)
          return between.act(statement, (one) => inner.run(one, aborts))
        },
        transaction: (work, aborts) => inner.transaction(work, aborts),
        listen: (channel, listener) => inner.listen(channel, listener),
        notify: (channel, payload, aborts) => {
          between.statements.push('notify')
          return inner.notify(channel, payload, aborts)
        },
        ready: () => inner.ready(),
      })),
  })
  const kernel = unwrap(
    await Kernel.create([use(dbPglite, { dataDir: 'memory://' }), use(watched), use(sessions)]),
    explain,
  )
  const database = kernel.scope.get(Database)
  await database.run({ sql: 'select 1', parameters: [] }, signal) // opened and migrated
  between.reset()
  return {
    database,
    store: kernel.scope.get(SessionStore),
    between,
    close: async () => {
      await kernel.close()
    },
  }
}

export const another = (
  database: Database,
  options: Partial<SessionsOptions> = {},
): DatabaseSessions => new DatabaseSessions(database, { ...OPTIONS, ...options })

export const newSession = (): SessionRef => ({
  tenant: tenantId('acme'),
  session: sessionId(`s_${randomUUID()}`),
})

export function value<T>(result: Result<T, Failure>): T {
  return unwrap(result, ({ message }) => message)
}

export function message(ref: SessionRef, more: Partial<Accept> = {}): Accept {
  return {
    ...ref,
    key: randomUUID(),
    body: '{}',
    control: false,
    owner: HERE,
    leaseMs: 60_000,
    create: { principal: 'ann', title: 'Hello', meta: '{}' },
    ...more,
  }
}

export function commit(sessionRecord: SessionRecord, more: Partial<Commit> = {}): Commit {
  const { tenant, session, fencingToken, head } = sessionRecord
  return {
    tenant,
    session,
    fencingToken,
    base: head,
    key: randomUUID(),
    state: '{"v":1,"kind":"idle"}',
    entries: [{ body: 'a' }],
    acknowledged: { messages: [], controls: [] },
    erase: [],
    end: 'hold',
    leaseMs: 60_000,
    progress: true,
    add: { messages: 1, input: 0, output: 0 },
    ...more,
  }
}

/** New sessions, each claimed by a first message. */
export async function claimed(
  store: SessionStore,
  count: number,
  ref = newSession,
): Promise<readonly { readonly sessionRecord: SessionRecord; readonly key: string }[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const item = message(ref())
      const { sessionRecord } = value(await store.accept(item, signal))
      if (!sessionRecord) throw new Error('the session was not created')
      return { sessionRecord, key: item.key }
    }),
  )
}
