import {
  ok,
  tenantId,
  timeLimit,
  type Database,
  type Failure,
  type JobQueue,
  type NewJob,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import { Batches, DatabaseError, runIn, runQuery, type Query } from '@amodal/sdk/database'
import {
  attemptsOf,
  deliveriesOf,
  forgetGone,
  goneTarget,
  insertAttempt,
  insertDeliveries,
  insertGone,
  oneDelivery,
  pendingDeliveries,
  pruneDeliveries,
  revive,
  stepOf,
} from './delivery-statements.ts'
import { attemptOf, deliveryOf, ruleOf, runOf } from './rows.ts'
import {
  changeRule,
  countFailure,
  lockedRule,
  retireOthers,
  PAUSED,
  ruleQuery,
  type RuleRow,
  rulesOf,
  takeOver,
  type RunStatement,
} from './rule-statements.ts'
import {
  newRun,
  runIdOf,
  type Attempt,
  type DeliveryRow,
  type NewRun,
  type Ref,
  type Run,
  type RunEnd,
} from './run.ts'
import {
  beginRun,
  endRun,
  freeHeld,
  holdRun,
  insertRuns,
  lastCompletedOf,
  lastRunsOf,
  letGoHeld,
  oneRun,
  openRuns,
  pruneRuns,
  running,
  runsOf,
  skipRun,
  startedBefore,
  waitingRuns,
  waitRun,
  wakeRun,
} from './run-statements.ts'
import {
  deliveryJob,
  isHeld,
  runJob,
  skippedSince,
  type Added,
  type AutomationStore,
  type Claim,
  type ClaimRequest,
  type DeliveryPage,
  type DeliveryStep,
  type Fired,
  type Firing,
  type Outgoing,
  type Rule,
  type RuleDraft,
} from './store.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** ms for one transaction. */
const TIME_MS = 10_000
const UNPUBLISHED = 1_000

/** A run that is to be kept, and when that was said. */
interface Add {
  readonly draft: NewRun
  readonly now: number
}
const ruleOfRun = (add: Add | undefined) => ({
  tenant: add?.draft.tenant ?? '',
  automation: add?.draft.automation ?? '',
})

/** In the database, so that it outlives every process. */
export class DatabaseStore implements AutomationStore {
  readonly #database: Database
  readonly #queue: JobQueue
  readonly #life: AbortSignal
  readonly #adds: Batches<Add, Added>

  /** @param life ends with the plugin */
  constructor(database: Database, queue: JobQueue, life: AbortSignal) {
    this.#database = database
    this.#queue = queue
    this.#life = life
    this.#adds = new Batches({
      what: 'runs of automations',
      keyOf: ({ draft }) => JSON.stringify([draft.tenant, runIdOf(draft)]),
      sizeOf: ({ draft }) => draft.event?.text.length ?? 0,
      write: (adds) => this.#addAll(adds),
      concurrency: 1,
      timeoutMs: TIME_MS,
    })
  }

  reconcile(tenant: TenantId, rules: readonly RuleDraft[], now: number): Outcome<void> {
    return this.#transaction('taking over schedules', async (run) => {
      const names = rules.map(({ automation }) => automation)
      await runIn(run, retireOthers(tenant, names))
      // Rows are locked in the order of their names everywhere.
      for (const rule of [...rules].sort(byName)) await runIn(run, takeOver(tenant, rule, now))
    })
  }

  rules(tenant: TenantId): Outcome<readonly Rule[]> {
    return this.#all(rulesOf(tenant), ruleOf, 'reading schedules')
  }

  fire({ tenant, automation, hash, cursor, runs }: Firing, now: number): Outcome<Fired> {
    return this.#publishing<Fired>('keeping due times', async (run) => {
      const [row] = await runIn(run, lockedRule(tenant, automation))
      if (row?.hash !== hash || row.retired) return [{ kind: 'refused', why: 'changed' }, []]
      if (row.paused) return [{ kind: 'refused', why: 'paused' }, []]
      const drafts = runs.filter(({ due }) => due > row.cursor).map((draft) => ({ draft, now }))
      const made = await insertRuns(run, drafts)
      const kept = made.filter((one) => one !== undefined)
      const jobs = made.flatMap((one, at) =>
        one ? [runJob(one, drafts[at]?.draft.inOrder ?? false)] : [],
      )
      const moved = Math.max(row.cursor, cursor)
      await runIn(run, changeRule(tenant, automation, { cursor: moved }))
      return [{ kind: 'fired', cursor: moved, runs: kept }, jobs]
    })
  }

  setPaused(tenant: TenantId, automation: string, paused: boolean, now: number): Outcome<boolean> {
    return this.#publishing('pausing', async (run) => {
      const [row] = await runIn(run, lockedRule(tenant, automation))
      if (!row || row.retired) return [false, []]
      const cursor = row.paused && !paused ? Math.max(row.cursor, now) : row.cursor
      await runIn(run, changeRule(tenant, automation, { paused, cursor }))
      if (paused) return [true, []]
      await runIn(run, letGoHeld(now))
      const freed = await runIn(run, freeHeld(tenant, automation))
      const ordered = [...freed].sort(byTime)
      return [true, ordered.map((held) => runJob(runOf(held), held.in_order))]
    })
  }

  add(draft: NewRun, now: number): Outcome<Added> {
    return this.#adds.submit({ draft, now }, this.#limit('keeping a run'))
  }

  #addAll(adds: readonly Add[]): Outcome<readonly Added[]> {
    return this.#publishing('keeping runs', async (run) => {
      const paused = await this.#paused(run, adds)
      const isKept = (at: number): boolean =>
        !paused.has(at) || adds[at]?.draft.holdUntil !== undefined
      const kept = adds.flatMap((add, at) => (isKept(at) ? [{ ...add, at }] : []))
      const made = await insertRuns(run, kept)
      const added = new Map<number, Added>()
      const jobs: NewJob[] = []
      for (const [n, { at, draft, now }] of kept.entries()) {
        const one = made[n]
        if (!one) added.set(at, await this.#known(run, draft, now))
        else if (paused.has(at)) added.set(at, await this.#hold(run, one, draft))
        else {
          added.set(at, { kind: 'fresh', run: one })
          jobs.push(runJob(one, draft.inOrder))
        }
      }
      return [adds.map((_, at) => added.get(at) ?? { kind: 'paused' }), jobs]
    })
  }

  async #known(run: RunStatement, draft: NewRun, now: number): Promise<Added> {
    const [row] = await runIn(run, oneRun({ tenant: draft.tenant, id: runIdOf(draft) }))
    return { kind: 'known', run: row ? runOf(row) : newRun(draft, now) }
  }

  async #hold(run: RunStatement, made: Run, { holdUntil = 0 }: NewRun): Promise<Added> {
    const [row] = await runIn(run, holdRun(made, holdUntil))
    return { kind: 'held', run: row ? runOf(row) : made }
  }

  /**
   * Those of events whose automation is paused. A pause that is there is there until the
   * transaction ends: no resume misses what it holds.
   */
  async #paused(run: RunStatement, adds: readonly Add[]): Promise<ReadonlySet<number>> {
    const events = adds.flatMap(({ draft }, at) => (draft.source === 'webhook' ? [at] : []))
    if (events.length === 0) return new Set()
    const names = events.map((at) => ruleOfRun(adds[at]))
    const seen = await runIn(run, PAUSED({ rules: JSON.stringify(names) }))
    const paused = new Set<string>()
    for (const { tenant, automation } of seen) {
      const [rule] = await runIn(run, lockedRule(tenantId(tenant), automation))
      if (rule?.paused === true) paused.add(JSON.stringify({ tenant, automation }))
    }
    return new Set(events.filter((at) => paused.has(JSON.stringify(ruleOfRun(adds[at])))))
  }

  claim(ref: Run, request: ClaimRequest): Outcome<Claim> {
    const { now, skips, holdUntil } = request
    return this.#transaction('beginning a run', async (run): Promise<Claim> => {
      const rule = await this.#rule(run, ref, ({ paused }) => paused || skips)
      const [row] = await runIn(run, oneRun(ref).forUpdate())
      if (!row) return { kind: 'gone' }
      if (row.status === 'running') return { kind: 'resume', run: runOf(row) }
      if (row.status !== 'queued') return { kind: 'ended', run: runOf(row) }
      const { source } = runOf(row)
      const isPaused = rule?.paused === true
      if (isHeld(source, isPaused, holdUntil) && holdUntil !== undefined) {
        const [held = row] = await runIn(run, holdRun(ref, holdUntil))
        return { kind: 'held', run: runOf(held) }
      }
      const isBusy = skips && (await runIn(run, running(ref.tenant, row.automation))).length > 0
      const why = skippedSince(source, isPaused, isBusy)
      const change = why === undefined ? beginRun(ref, request) : skipRun(ref, now, why)
      const [next = row] = await runIn(run, change)
      return { kind: why === undefined ? 'begin' : 'skipped', run: runOf(next) }
    })
  }

  /**
   * The rule of a run; locked until the transaction ends where more than the run depends on it, so
   * that this is decided for one run after the other.
   */
  async #rule(
    run: RunStatement,
    { tenant, automation }: Run,
    needsLock: (rule: RuleRow) => boolean,
  ): Promise<RuleRow | undefined> {
    const [seen] = await runIn(run, ruleQuery(tenant, automation))
    if (!seen || !needsLock(seen)) return seen
    const [locked] = await runIn(run, lockedRule(tenant, automation))
    return locked
  }

  end(ref: Run, end: RunEnd, outgoing: Outgoing): Outcome<boolean> {
    return this.#publishing('ending a run', async (run) => {
      // The rule first, as where a run begins.
      const counts = ({ failures }: RuleRow): boolean => failures > 0 || end.status === 'failed'
      const rule = await this.#rule(run, ref, counts)
      const [row] = await runIn(run, endRun(ref, end))
      if (!row) return [false, []]
      const alerts = rule ? await countFailure(run, rule, end, outgoing) : []
      const rows = [...outgoing.deliveries, ...alerts]
      if (rows.length > 0) await runIn(run, insertDeliveries(rows))
      return [true, rows.map(deliveryJob)]
    })
  }

  wait(ref: Ref, now: number, notices: readonly DeliveryRow[]): Outcome<Run | undefined> {
    return this.#publishing('letting a run wait', async (run) => {
      const [row] = await runIn(run, waitRun(ref, now))
      if (!row) return [undefined, []]
      if (notices.length > 0) await runIn(run, insertDeliveries(notices))
      return [runOf(row), notices.map(deliveryJob)]
    })
  }

  wake(ref: Ref, now: number): Outcome<boolean> {
    return this.#publishing('going on with a run', async (run) => {
      const [row] = await runIn(run, wakeRun(ref, now))
      // Runs behind it in its group may have begun while it waited: it goes on beside them.
      return row ? [true, [runJob(runOf(row), false)]] : [false, []]
    })
  }

  waiting(limit: number): Outcome<readonly Run[]> {
    return this.#all(waitingRuns(limit), runOf, 'looking for runs that wait')
  }

  run(ref: Ref): Outcome<Run | undefined> {
    return this.#one(oneRun(ref), runOf, 'reading a run')
  }

  runs(tenant: TenantId, automation: string, limit: number): Outcome<readonly Run[]> {
    return this.#all(runsOf(tenant, automation).limit(limit), runOf, 'reading runs')
  }

  lastRuns(tenant: TenantId): Outcome<readonly Run[]> {
    return this.#all(lastRunsOf(tenant), runOf, 'reading the last runs')
  }

  lastCompleted(tenant: TenantId, automation: string): Outcome<Run | undefined> {
    const completed = lastCompletedOf(tenant, automation)
    return this.#one(completed, runOf, 'reading the last run')
  }

  unfinished(before: number): Outcome<readonly Run[]> {
    return this.#all(startedBefore(before), runOf, 'looking for runs that did not end')
  }

  async republish(): Outcome<number> {
    const limit = this.#limit('looking for what waits')
    const open = await runQuery(this.#database, openRuns(UNPUBLISHED), limit)
    if (!open.ok) return open
    const pending = await runQuery(this.#database, pendingDeliveries(UNPUBLISHED), limit)
    if (!pending.ok) return pending
    const jobs = [
      ...open.value.map((row) => runJob(runOf(row), row.in_order)),
      ...pending.value.map((row) => deliveryJob(deliveryOf(row))),
    ]
    if (jobs.length === 0) return ok(0)
    const published = await this.#queue.publish(jobs, limit)
    return published.ok ? ok(published.value.filter(({ fresh }) => fresh).length) : published
  }

  delivery(ref: Ref): Outcome<DeliveryRow | undefined> {
    return this.#one(oneDelivery(ref), deliveryOf, 'reading a delivery')
  }

  async isGone(delivery: DeliveryRow): Outcome<boolean> {
    const limit = this.#limit('looking for a target')
    const rows = await runQuery(this.#database, goneTarget(delivery), limit)
    return rows.ok ? ok(rows.value.length > 0) : rows
  }

  attempted(
    delivery: DeliveryRow,
    attempt: Attempt | undefined,
    next: DeliveryStep,
  ): Outcome<void> {
    return this.#transaction('writing down an attempt', async (run) => {
      await runIn(run, stepOf(delivery, attempt, next))
      if (attempt) await insertAttempt(run, delivery, attempt)
      if (next.gone === true) await runIn(run, insertGone(delivery, next.at))
    })
  }

  attempts(ref: Ref): Outcome<readonly Attempt[]> {
    return this.#all(attemptsOf(ref), attemptOf, 'reading attempts')
  }

  deliveries(tenant: TenantId, page: DeliveryPage): Outcome<readonly DeliveryRow[]> {
    return this.#all(deliveriesOf(tenant, page), deliveryOf, 'reading deliveries')
  }

  redrive(tenant: TenantId, ids: readonly string[]): Outcome<number> {
    if (ids.length === 0) return Promise.resolve(ok(0))
    return this.#publishing('redriving', async (run) => {
      const again = (await runIn(run, revive(tenant, ids))).map(deliveryOf)
      if (again.length > 0) await runIn(run, forgetGone(tenant, again))
      return [again.length, again.map(deliveryJob)]
    })
  }

  letGo(now: number): Outcome<void> {
    return this.#transaction('letting go of what was held', async (run) => {
      await runIn(run, letGoHeld(now))
    })
  }

  prune(before: number): Outcome<void> {
    return this.#transaction('forgetting old runs', async (run) => {
      await pruneDeliveries(run, before)
      await runIn(run, pruneRuns(before))
    })
  }

  async #all<R, T>(query: Query<R>, read: (row: R) => T, what: string): Outcome<readonly T[]> {
    const rows = await runQuery(this.#database, query, this.#limit(what))
    return rows.ok ? ok(rows.value.map(read)) : rows
  }

  async #one<R, T>(query: Query<R>, read: (row: R) => T, what: string): Outcome<T | undefined> {
    const rows = await this.#all(query, read, what)
    return rows.ok ? ok(rows.value[0]) : rows
  }

  #limit(what: string): AbortSignal {
    return timeLimit(TIME_MS, what, this.#life)
  }

  #transaction<T>(what: string, work: (run: RunStatement) => Promise<T>): Outcome<T> {
    return this.#database.transaction(work, this.#limit(what))
  }

  /** Publishes the jobs in the transaction, or, where the queue cannot, after it. */
  async #publishing<T>(
    what: string,
    work: (run: RunStatement) => Promise<readonly [value: T, jobs: readonly NewJob[]]>,
  ): Outcome<T> {
    const queue = this.#queue
    const limit = this.#limit(what)
    const isInside = queue.publishIn !== undefined
    const done = await this.#database.transaction(async (run) => {
      const made = await work(run)
      if (made[1].length === 0) return made
      const published = await queue.publishIn?.(run, made[1])
      if (published?.ok === false) throw new DatabaseError(published.error)
      return made
    }, limit)
    if (!done.ok) return done
    const [value, jobs] = done.value
    if (isInside || jobs.length === 0) return ok(value)
    const published = await queue.publish(jobs, limit)
    return published.ok ? ok(value) : published
  }
}

/** In the order in which they came. */
const byTime = (
  a: { readonly created_at: number; readonly id: string },
  b: { readonly created_at: number; readonly id: string },
): number => a.created_at - b.created_at || (a.id < b.id ? -1 : 1)

const byName = (a: RuleDraft, b: RuleDraft): number => (a.automation < b.automation ? -1 : 1)
