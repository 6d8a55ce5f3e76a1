import { setTimeout as sleep } from 'node:timers/promises'
import {
  err,
  failure,
  type Database,
  type Failure,
  type Result,
  type Row,
  type Statement,
  type TenantDatabase,
} from '@amodal/sdk'
import type { Passed, Point, StatementKind } from './control.ts'
import { recognise, type Part, type Seen } from './statements.ts'

type When = Point['when']

/**
 * What may go wrong in one server process, and where: holds, kills and lost answers at points that
 * tests arm.
 */
export class Faults {
  readonly #reached: (id: string) => void
  readonly #armed = new Map<string, Point>()
  readonly #released = new Map<string, () => void>()
  /** Sessions by a marker of a message they took. */
  readonly #sessions = new Map<string, string>()
  /** Keys of the statements that have passed, per session and kind, in their order. */
  readonly #keys = new Map<string, string[]>()
  readonly #passed = new Map<string, Passed[]>()
  readonly #lost = new Map<string, number>()
  #takeovers = 0
  #losing: { readonly when: When; readonly left: number } = { when: 'before', left: 0 }

  /** @param reached told of every point, before anything happens there */
  constructor(reached: (id: string) => void) {
    this.#reached = reached
  }

  arm(points: readonly Point[]): void {
    for (const point of points) this.#armed.set(point.id, point)
  }

  /** The next so many writes seem to fail, whichever they are. */
  lose(when: When, times: number): void {
    this.#losing = { when, left: times }
  }

  release(id: string): void {
    this.#released.get(id)?.()
  }

  trace(marker: string): readonly Passed[] {
    return this.#passed.get(this.#sessions.get(marker) ?? '') ?? []
  }

  /** The database with these faults in it. */
  around(database: Database): Database {
    return {
      get dialect() {
        return database.dialect
      },
      get exclusive() {
        return database.exclusive
      },
      run: (statement, signal) =>
        this.#losingOne(writes(statement), () => this.#run(database, statement, signal)),
      transaction: (work, signal) =>
        this.#losingOne(true, () => this.#transact(database, work, signal)),
      listen: (channel, heard) => database.listen(channel, heard),
      notify: (channel, payload, signal) => database.notify(channel, payload, signal),
      ready: () => database.ready(),
    }
  }

  /** Called by a tool on its way out and back. */
  async call(marker: string, when: When): Promise<void> {
    for (const point of this.#armed.values()) {
      if ('call' in point.at && point.at.call === marker && point.when === when)
        await this.#stop(point)
    }
  }

  /** The tables of one tenant, where what is written may get lost as well. */
  aroundTenant(database: TenantDatabase): TenantDatabase {
    return {
      run: (statement, signal) =>
        this.#losingOne(writes(statement), () => database.run(statement, signal)),
      transaction: (work, signal) =>
        this.#losingOne(true, () => database.transaction(work, signal)),
    }
  }

  async #losingOne<T>(
    isWrite: boolean,
    make: () => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    const { when, left } = this.#losing
    if (!isWrite || left === 0) return make()
    this.#losing = { when, left: left - 1 }
    if (when === 'after') await make()
    return broken()
  }

  /** A commit in a transaction is met where it is made, and once all of it is committed. */
  async #transact<T>(
    database: Database,
    work: Parameters<typeof database.transaction<T>>[0],
    signal: AbortSignal,
  ): Promise<Result<T, Failure>> {
    let points: readonly Point[] = []
    const done = await database.transaction<T>(
      (run) =>
        work(async (statement) => {
          const seen = recognise(statement)
          if (seen?.kind === 'commit') {
            points = this.#pointsOf(seen)
            await this.#meet(points, 'before')
          }
          return run(statement)
        }),
      signal,
    )
    return (await this.#meet(points, 'after')) ?? done
  }

  #pointsOf(seen: Seen): readonly Point[] {
    const numbers = seen.parts.map((part) => this.#count(seen.kind, part))
    return this.#at(seen.kind, ({ n }, marker) =>
      seen.parts.some(
        ({ session }, index) =>
          numbers[index] === n && (marker === undefined || this.#sessions.get(marker) === session),
      ),
    )
  }

  async #run(
    database: Database,
    statement: Statement,
    signal: AbortSignal,
  ): Promise<Result<readonly Row[], Failure>> {
    const seen = recognise(statement)
    if (!seen) return database.run(statement, signal)
    const points = this.#pointsOf(seen)
    if (seen.kind === 'takeover')
      await this.#meet(
        this.#at('takeover', ({ n }) => n === 0),
        'before',
      )
    const before = await this.#meet(points, 'before')
    if (before) return before
    const answer = await database.run(statement, signal)
    // A takeover is one that has taken something.
    if (seen.kind === 'takeover' && answer.ok && answer.value.length > 0) {
      const taken = ++this.#takeovers
      await this.#meet(
        this.#at('takeover', ({ n }) => n === taken),
        'after',
      )
    }
    return (await this.#meet(points, 'after')) ?? answer
  }

  #at(
    kind: StatementKind,
    here: (at: { readonly n: number }, marker: string | undefined) => boolean,
  ): readonly Point[] {
    return [...this.#armed.values()].filter(
      ({ at, marker }) => 'statement' in at && at.statement === kind && here(at, marker),
    )
  }

  /** Which statement of its kind this is for its session, a repetition being the same one. */
  #count(kind: StatementKind, part: Part): number {
    if (kind === 'accept') this.#began(part)
    const name = `${part.session} ${kind}`
    const keys = this.#keys.get(name) ?? []
    this.#keys.set(name, keys)
    const known = keys.indexOf(part.key)
    if (known !== -1) return known + 1
    keys.push(part.key)
    this.#passed.set(part.session, [
      ...(this.#passed.get(part.session) ?? []),
      { kind, n: keys.length, wrote: part.wrote },
    ])
    return keys.length
  }

  /** A message begins a new count. */
  #began({ session, key, text }: Part): void {
    const marker = markerOf(text)
    if (marker === undefined || this.#keys.get(`${session} accept`)?.includes(key)) return
    this.#sessions.set(marker, session)
    this.#passed.delete(session)
    for (const kind of ['accept', 'commit']) this.#keys.delete(`${session} ${kind}`)
  }

  /** What happens at these points; a failure where the answer is lost. */
  async #meet(points: readonly Point[], when: When): Promise<Result<never, Failure> | undefined> {
    const here = points.filter((point) => point.when === when)
    for (const point of here) if (point.then.do !== 'lose') await this.#stop(point)
    const losing = here.filter((point) => this.#loses(point))
    return losing.length > 0 ? broken() : undefined
  }

  /** Whether this try is one of those that are lost. */
  #loses({ id, then }: Point): boolean {
    if (then.do !== 'lose') return false
    const lost = this.#lost.get(id) ?? 0
    this.#lost.set(id, lost + 1)
    this.#reached(id)
    return lost < then.times
  }

  async #stop(point: Point): Promise<void> {
    this.#armed.delete(point.id)
    this.#reached(point.id)
    if (point.then.do === 'kill') {
      process.kill(process.pid, 'SIGKILL')
      await sleep(60_000) // the signal is on its way: nothing may happen any more
    }
    const released = Promise.withResolvers<void>()
    this.#released.set(point.id, released.resolve)
    await released.promise
  }
}

const broken = (): Result<never, Failure> =>
  err(failure('STORE_FAILED', 'the connection broke', { details: { connection: true } }))

const writes = ({ sql, before = [] }: Statement): boolean =>
  [sql, ...before.map((one) => one.sql)].some((text) => /\b(insert|update|delete)\b/i.test(text))

interface Item {
  readonly kind: string
  readonly text?: string
}

/** The marker of a message, which is a plan (`plan.ts`). */
function markerOf(body: string): string | undefined {
  const { kind, text = '{}' } = JSON.parse(body) as Item // an inbox item, made by the kernel
  // What is no plan (`messageOf`) has no marker.
  return kind === 'message' && text.startsWith('{')
    ? (JSON.parse(text) as { readonly marker?: string }).marker
    : undefined
}
