import {
  ok,
  type Failure,
  type JobQueue,
  type NewJob,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import {
  HELD_TOO_LONG,
  heldRun,
  newRun,
  runIdOf,
  waitingRun,
  wokenRun,
  type Attempt,
  type DeliveryRow,
  type NewRun,
  type Ref,
  type Run,
  type RunEnd,
} from './run.ts'
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

const keyOf = (tenant: TenantId, id: string): string => JSON.stringify([tenant, id])
const newestFirst = (a: Run, b: Run): number => b.createdAt - a.createdAt || b.due - a.due

/** For a process that keeps everything in memory. */
export class MemoryStore implements AutomationStore {
  readonly #queue: JobQueue
  readonly #signal: AbortSignal
  readonly #rules = new Map<
    string,
    Rule & { readonly tenant: TenantId; readonly retired: boolean }
  >()
  readonly #runs = new Map<string, Run>()
  readonly #ordered = new Set<string>()
  readonly #deliveries = new Map<string, DeliveryRow>()
  readonly #attempts = new Map<string, Attempt[]>()
  readonly #gone = new Set<string>()

  constructor(queue: JobQueue, signal: AbortSignal) {
    this.#queue = queue
    this.#signal = signal
  }

  async reconcile(tenant: TenantId, rules: readonly RuleDraft[], now: number): Outcome<void> {
    const names = new Set(rules.map(({ automation }) => automation))
    for (const [key, rule] of this.#rules)
      if (rule.tenant === tenant && !names.has(rule.automation))
        this.#rules.set(key, { ...rule, retired: true })
    for (const { automation, hash } of rules) {
      const key = keyOf(tenant, automation)
      const known = this.#rules.get(key)
      if (known && known.hash === hash && !known.retired) continue
      const kept = known ?? { tenant, automation, paused: false, failures: 0 }
      this.#rules.set(key, { ...kept, hash, cursor: now, retired: false })
    }
    return ok(undefined)
  }

  async rules(tenant: TenantId): Outcome<readonly Rule[]> {
    return ok([...this.#rules.values()].filter((rule) => rule.tenant === tenant && !rule.retired))
  }

  async fire({ tenant, automation, hash, cursor, runs }: Firing, now: number): Outcome<Fired> {
    const rule = this.#rules.get(keyOf(tenant, automation))
    if (rule?.hash !== hash || rule.retired) return ok({ kind: 'refused', why: 'changed' })
    if (rule.paused) return ok({ kind: 'refused', why: 'paused' })
    const due = runs.filter((run) => run.due > rule.cursor)
    const kept = due.flatMap((draft) => this.#keep(draft, now) ?? [])
    const moved = Math.max(rule.cursor, cursor)
    this.#rules.set(keyOf(tenant, automation), { ...rule, cursor: moved })
    const published = await this.#publish(kept.map((run) => this.#jobOf(run)))
    return published.ok ? ok({ kind: 'fired', cursor: moved, runs: kept }) : published
  }

  async setPaused(
    tenant: TenantId,
    automation: string,
    paused: boolean,
    now: number,
  ): Outcome<boolean> {
    const rule = this.#rules.get(keyOf(tenant, automation))
    if (!rule || rule.retired) return ok(false)
    const cursor = rule.paused && !paused ? Math.max(rule.cursor, now) : rule.cursor
    this.#rules.set(keyOf(tenant, automation), { ...rule, paused, cursor })
    if (paused) return ok(true)
    const freed: Run[] = []
    for (const run of this.#held(now).filter((one) => one.tenant === tenant)) {
      if (run.automation !== automation) continue
      const { heldUntil: _until, ...rest } = run
      const queued: Run = { ...rest, status: 'queued' }
      this.#runs.set(keyOf(tenant, run.id), queued)
      freed.push(queued)
    }
    const published = await this.#publish(freed.map((run) => this.#jobOf(run)))
    return published.ok ? ok(true) : published
  }

  async add(draft: NewRun, now: number): Outcome<Added> {
    const rule = this.#rules.get(keyOf(draft.tenant, draft.automation))
    const isPaused = draft.source === 'webhook' && rule?.paused === true
    if (isPaused && draft.holdUntil === undefined) return ok({ kind: 'paused' })
    const kept = this.#keep(draft, now)
    const known = this.#runs.get(keyOf(draft.tenant, runIdOf(draft))) ?? newRun(draft, now)
    if (!kept) return ok({ kind: 'known', run: known })
    if (isPaused && draft.holdUntil !== undefined)
      return ok({ kind: 'held', run: this.#hold(kept, draft.holdUntil) })
    const published = await this.#publish([this.#jobOf(kept)])
    return published.ok ? ok({ kind: 'fresh', run: kept }) : published
  }

  async claim(
    { tenant, id }: Ref,
    { plan, session, now, skips, holdUntil }: ClaimRequest,
  ): Outcome<Claim> {
    const run = this.#runs.get(keyOf(tenant, id))
    if (!run) return ok({ kind: 'gone' })
    if (run.status === 'running') return ok({ kind: 'resume', run })
    if (run.status !== 'queued') return ok({ kind: 'ended', run })
    const isBusy = [...this.#runs.values()].some(
      (other) =>
        other.tenant === tenant &&
        other.automation === run.automation &&
        (other.status === 'running' || other.status === 'waiting'),
    )
    const isPaused = this.#rules.get(keyOf(tenant, run.automation))?.paused === true
    if (isHeld(run.source, isPaused, holdUntil) && holdUntil !== undefined)
      return ok({ kind: 'held', run: this.#hold(run, holdUntil) })
    const why = skippedSince(run.source, isPaused, skips && isBusy)
    const { event: _event, ...bare } = run
    const next: Run =
      why !== undefined
        ? { ...bare, status: 'skipped', endedAt: now, error: why }
        : { ...run, status: 'running', startedAt: now, plan, ...(session && { session }) }
    this.#runs.set(keyOf(tenant, id), next)
    return ok({ kind: next.status === 'skipped' ? 'skipped' : 'begin', run: next })
  }

  async end({ tenant, id }: Ref, end: RunEnd, outgoing: Outgoing): Outcome<boolean> {
    const run = this.#runs.get(keyOf(tenant, id))
    if (!run || run.endedAt !== undefined) return ok(false)
    const { at, ...rest } = end
    const { event: _event, plan: _plan, ...bare } = run
    this.#runs.set(keyOf(tenant, id), { ...bare, ...rest, endedAt: at })
    const rows = [...outgoing.deliveries, ...this.#alerts(run, end, outgoing)]
    for (const row of rows) this.#deliveries.set(keyOf(row.tenant, row.id), row)
    const published = await this.#publish(rows.map(deliveryJob))
    return published.ok ? ok(true) : published
  }

  /** Counts the failure, and says whom to alert. */
  #alerts(run: Run, { status, at }: RunEnd, { alert }: Outgoing): readonly DeliveryRow[] {
    const key = keyOf(run.tenant, run.automation)
    const rule = this.#rules.get(key)
    if (!rule) return []
    const failures = status === 'failed' ? rule.failures + 1 : 0
    const isDue =
      alert !== undefined &&
      failures >= alert.after &&
      at - (rule.alertedAt ?? -Infinity) >= alert.cooldownMs
    const alertedAt = isDue ? at : rule.alertedAt
    this.#rules.set(key, { ...rule, failures, ...(alertedAt !== undefined && { alertedAt }) })
    return isDue ? alert.deliveries : []
  }

  async wait(
    { tenant, id }: Ref,
    now: number,
    notices: readonly DeliveryRow[],
  ): Outcome<Run | undefined> {
    const run = this.#runs.get(keyOf(tenant, id))
    if (run?.status !== 'running') return ok(undefined)
    const next = waitingRun(run, now)
    this.#runs.set(keyOf(tenant, id), next)
    const fresh = notices.filter((row) => !this.#deliveries.has(keyOf(tenant, row.id)))
    for (const row of fresh) this.#deliveries.set(keyOf(tenant, row.id), row)
    const published = await this.#publish(fresh.map(deliveryJob))
    return published.ok ? ok(next) : published
  }

  async wake({ tenant, id }: Ref, now: number): Outcome<boolean> {
    const run = this.#runs.get(keyOf(tenant, id))
    if (run?.status !== 'waiting') return ok(false)
    const next = wokenRun(run, now)
    this.#runs.set(keyOf(tenant, id), next)
    const published = await this.#publish([runJob(next, false)])
    return published.ok ? ok(true) : published
  }

  async waiting(limit: number): Outcome<readonly Run[]> {
    const waiting = [...this.#runs.values()].filter(({ status }) => status === 'waiting')
    return ok(waiting.sort((a, b) => (a.waitingSince ?? 0) - (b.waitingSince ?? 0)).slice(0, limit))
  }

  async run({ tenant, id }: Ref): Outcome<Run | undefined> {
    return ok(this.#runs.get(keyOf(tenant, id)))
  }

  async runs(tenant: TenantId, automation: string, limit: number): Outcome<readonly Run[]> {
    const runs = [...this.#runs.values()].filter(
      (run) => run.tenant === tenant && run.automation === automation,
    )
    return ok(runs.sort(newestFirst).slice(0, limit))
  }

  async lastRuns(tenant: TenantId): Outcome<readonly Run[]> {
    const last = new Map<string, Run>()
    for (const run of [...this.#runs.values()].sort(newestFirst))
      if (run.tenant === tenant && !last.has(run.automation)) last.set(run.automation, run)
    return ok([...last.values()])
  }

  async lastCompleted(tenant: TenantId, automation: string): Outcome<Run | undefined> {
    return ok(
      [...this.#runs.values()]
        .filter(
          (run) =>
            run.tenant === tenant && run.automation === automation && run.status === 'completed',
        )
        .sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0))[0],
    )
  }

  async unfinished(before: number): Outcome<readonly Run[]> {
    return ok(
      [...this.#runs.values()].filter(
        ({ status, startedAt = Infinity }) => status === 'running' && startedAt < before,
      ),
    )
  }

  async republish(): Outcome<number> {
    return ok(0)
  }

  async delivery({ tenant, id }: Ref): Outcome<DeliveryRow | undefined> {
    return ok(this.#deliveries.get(keyOf(tenant, id)))
  }

  async isGone({ tenant, targetKey }: DeliveryRow): Outcome<boolean> {
    return ok(this.#gone.has(keyOf(tenant, targetKey)))
  }

  async attempted(
    { tenant, id, targetKey }: DeliveryRow,
    attempt: Attempt | undefined,
    next: DeliveryStep,
  ): Outcome<void> {
    const key = keyOf(tenant, id)
    const row = this.#deliveries.get(key)
    if (!row) return ok(undefined)
    const attempts = this.#attempts.get(key) ?? []
    if (attempt) this.#attempts.set(key, [...attempts, attempt])
    if (next.gone === true) this.#gone.add(keyOf(tenant, targetKey))
    this.#deliveries.set(key, {
      ...row,
      status: next.status,
      attempts: row.attempts + (attempt ? 1 : 0),
      ...(next.status !== 'pending' && { endedAt: next.at }),
      ...(next.status === 'delivered' && { payload: '' }),
      ...(attempt?.error !== undefined && { error: attempt.error }),
    })
    return ok(undefined)
  }

  async attempts({ tenant, id }: Ref): Outcome<readonly Attempt[]> {
    return ok(this.#attempts.get(keyOf(tenant, id)) ?? [])
  }

  async deliveries(tenant: TenantId, page: DeliveryPage): Outcome<readonly DeliveryRow[]> {
    return ok(
      [...this.#deliveries.values()]
        .filter(
          (row) =>
            row.tenant === tenant &&
            (page.automation === undefined || row.automation === page.automation) &&
            (page.status === undefined || row.status === page.status),
        )
        .sort((a, b) => b.createdAt - a.createdAt)
        .slice(0, page.limit),
    )
  }

  async redrive(tenant: TenantId, ids: readonly string[]): Outcome<number> {
    const again = ids.flatMap((id): DeliveryRow[] => {
      const row = this.#deliveries.get(keyOf(tenant, id))
      if (row?.status !== 'dead') return []
      const { endedAt: _ended, ...rest } = row
      return [{ ...rest, status: 'pending', attempts: 0, redrives: row.redrives + 1 }]
    })
    for (const row of again) {
      this.#deliveries.set(keyOf(tenant, row.id), row)
      this.#gone.delete(keyOf(tenant, row.targetKey))
    }
    const published = await this.#publish(again.map(deliveryJob))
    return published.ok ? ok(again.length) : published
  }

  async letGo(now: number): Outcome<void> {
    this.#held(now)
    return ok(undefined)
  }

  async prune(before: number): Outcome<void> {
    for (const [key, run] of this.#runs)
      if ((run.endedAt ?? Infinity) < before) this.#runs.delete(key)
    for (const [key, row] of this.#deliveries) {
      if ((row.endedAt ?? Infinity) >= before) continue
      this.#deliveries.delete(key)
      this.#attempts.delete(key)
    }
    return ok(undefined)
  }

  #hold(run: Run, until: number): Run {
    const held = heldRun(run, until)
    this.#runs.set(keyOf(run.tenant, run.id), held)
    return held
  }

  /** Runs that are held, in order; those that were held too long are skipped. */
  #held(now: number): readonly Run[] {
    const held: Run[] = []
    for (const [key, run] of this.#runs) {
      const { heldUntil, event: _event, ...rest } = run
      if (heldUntil === undefined || run.status !== 'held') continue
      if (heldUntil > now) held.push(run)
      else this.#runs.set(key, { ...rest, status: 'skipped', endedAt: now, error: HELD_TOO_LONG })
    }
    return held
  }

  #keep(draft: NewRun, now: number): Run | undefined {
    const run = newRun(draft, now)
    const key = keyOf(run.tenant, run.id)
    if (this.#runs.has(key)) return undefined
    this.#runs.set(key, run)
    if (draft.inOrder) this.#ordered.add(key)
    return run
  }

  #jobOf(run: Run): NewJob {
    return runJob(run, this.#ordered.has(keyOf(run.tenant, run.id)))
  }

  async #publish(jobs: readonly NewJob[]): Outcome<void> {
    if (jobs.length === 0) return ok(undefined)
    const published = await this.#queue.publish(jobs, this.#signal)
    return published.ok ? ok(undefined) : published
  }
}
