import type { Failure, NewJob, Result, TenantId } from '@amodal/sdk'
import type { Source } from './definition.ts'
import type {
  Attempt,
  DeliveryRow,
  DeliveryStatus,
  NewRun,
  Ref,
  Run,
  RunEnd,
  RunPlan,
} from './run.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** What is kept of an automation beside its runs. All times are ms since the epoch. */
export interface Rule {
  readonly automation: string
  /** Of its schedule and zone; `undefined` where it has none. */
  readonly hash: string | undefined
  /** Due times up to here are settled. */
  readonly cursor: number
  readonly paused: boolean
  /** Failed runs since the last one that did not fail. */
  readonly failures: number
  readonly alertedAt?: number
}

/** What the files say of an automation's schedule. */
export interface RuleDraft {
  readonly automation: string
  readonly hash: string | undefined
}

/** Due times that have come. */
export interface Firing {
  readonly tenant: TenantId
  readonly automation: string
  readonly hash: string
  /** Due times up to here are settled with this. */
  readonly cursor: number
  readonly runs: readonly NewRun[]
}

/** `refused`: the rule is paused, retired, or another one by now. */
export type Fired =
  | { readonly kind: 'fired'; readonly cursor: number; readonly runs: readonly Run[] }
  | { readonly kind: 'refused'; readonly why: 'paused' | 'changed' }

/**
 * `held`: it is kept, and begins when the automation is resumed. `paused`: an event for an
 * automation that takes none now.
 */
export type Added =
  | { readonly kind: 'fresh' | 'held' | 'known'; readonly run: Run }
  | { readonly kind: 'paused' }

export interface ClaimRequest {
  readonly plan: RunPlan
  readonly session: Run['session']
  readonly now: number
  /** It does not begin while another run of its automation is in progress. */
  readonly skips: boolean
  /** Until when an event is held where the automation is paused; left out where none is. */
  readonly holdUntil?: number
}

/** `kind` says what to do: work on it, or nothing, since it has ended or does not exist. */
export type Claim =
  | { readonly kind: 'begin' | 'resume'; readonly run: Run }
  | { readonly kind: 'skipped' | 'held' | 'ended'; readonly run: Run }
  | { readonly kind: 'gone' }

/**
 * Why a queued run does not begin. One that somebody asked for by hand begins in spite of a pause.
 */
export const skippedSince = (
  source: Source,
  isPaused: boolean,
  isBusy: boolean,
): string | undefined => {
  if (isPaused && source !== 'manual') return 'the automation was paused before it began'
  return isBusy ? 'another run was in progress' : undefined
}

/** Whether a queued run is held in place of being skipped. */
export const isHeld = (source: Source, isPaused: boolean, until: number | undefined): boolean =>
  isPaused && source === 'webhook' && until !== undefined

/** What goes out with the end of a run. */
export interface Outgoing {
  readonly deliveries: readonly DeliveryRow[]
  /** Sent where so many runs have failed in a row, and none was sent within the cooldown. */
  readonly alert?: {
    readonly after: number
    readonly cooldownMs: number
    readonly deliveries: readonly DeliveryRow[]
  }
}

export interface DeliveryPage {
  readonly automation?: string
  readonly status?: DeliveryStatus
  readonly limit: number
}

/** What becomes of a delivery at this time; `gone`: its target takes nothing any more. */
export interface DeliveryStep {
  readonly status: DeliveryStatus
  readonly at: number
  readonly gone?: boolean
}

/**
 * What automations keep. Each method is one transaction, and jobs that follow from it are published
 * in that transaction where the queue can.
 */
export interface AutomationStore {
  /** Takes over the schedules of the files: what did not change keeps its cursor. */
  reconcile(tenant: TenantId, rules: readonly RuleDraft[], now: number): Outcome<void>
  rules(tenant: TenantId): Outcome<readonly Rule[]>
  /** Keeps runs of due times that nobody kept before. */
  fire(firing: Firing, now: number): Outcome<Fired>
  /**
   * Due times of a pause are settled by resuming, and runs that were held are queued, in their
   * order. `false`: there is no such automation.
   */
  setPaused(tenant: TenantId, automation: string, paused: boolean, now: number): Outcome<boolean>
  /** Keeps a run, unless its occurrence is known. */
  add(run: NewRun, now: number): Outcome<Added>
  /** `skipped`: it is not to begin; its `error` says why. */
  claim(ref: Run, request: ClaimRequest): Outcome<Claim>
  /**
   * Ends a run and writes what goes out; its event and its plan are kept no longer. `false`: it had
   * ended before, and nothing was written.
   */
  end(ref: Run, end: RunEnd, outgoing: Outgoing): Outcome<boolean>
  /**
   * Lets a run that is in progress wait for a person, and writes whom to tell. `undefined`: it is
   * not in progress.
   */
  wait(ref: Ref, now: number, notices: readonly DeliveryRow[]): Outcome<Run | undefined>
  /** Goes on with a run that waits, under a new job. `false`: it does not wait. */
  wake(ref: Ref, now: number): Outcome<boolean>
  /** Runs that wait for a person, those that wait longest first. */
  waiting(limit: number): Outcome<readonly Run[]>
  run(ref: Ref): Outcome<Run | undefined>
  /** The newest first. */
  runs(tenant: TenantId, automation: string, limit: number): Outcome<readonly Run[]>
  /** The newest run of each automation. */
  lastRuns(tenant: TenantId): Outcome<readonly Run[]>
  /** The newest run that completed. */
  lastCompleted(tenant: TenantId, automation: string): Outcome<Run | undefined>
  /** Runs that began before `before`, have not ended, and wait for nobody. */
  unfinished(before: number): Outcome<readonly Run[]>
  /** Publishes the jobs of all that waits, for a queue that does not outlive its process. */
  republish(): Outcome<number>
  delivery(ref: Ref): Outcome<DeliveryRow | undefined>
  /** Whether the target has said that it is gone. */
  isGone(delivery: DeliveryRow): Outcome<boolean>
  /**
   * Writes an attempt, and what it means for the delivery. What was delivered is kept no longer:
   * the run has the result.
   */
  attempted(delivery: DeliveryRow, attempt: Attempt | undefined, next: DeliveryStep): Outcome<void>
  attempts(ref: Ref): Outcome<readonly Attempt[]>
  /** The newest first. */
  deliveries(tenant: TenantId, page: DeliveryPage): Outcome<readonly DeliveryRow[]>
  /** Gives dead deliveries all their attempts again; their target counts as there. */
  redrive(tenant: TenantId, ids: readonly string[]): Outcome<number>
  /** Skips runs that were held until `now`. */
  letGo(now: number): Outcome<void>
  /** Forgets runs that ended before `before`, and what belongs to them. */
  prune(before: number): Outcome<void>
}

export const RUN_QUEUE = 'automations.run'
export const DELIVERY_QUEUE = 'automations.deliver'

/** Retries of a run whose database or agent is out of reach: what the agent says is no failure. */
const RUN_RETRIES = { limit: 30, delayMs: 1_000, maxDelayMs: 60_000, lostWorkers: 1_000 }

export const runJob = (
  { tenant, id, automation, holds, wakes }: Run,
  inOrder: boolean,
): NewJob => ({
  queue: RUN_QUEUE,
  data: { run: id },
  key: holds + wakes === 0 ? id : `${id}.${holds + wakes}`,
  lane: automation,
  tenant,
  retries: RUN_RETRIES,
  ...(inOrder && { group: automation }),
})

export const deliveryJob = ({
  tenant,
  id,
  automation,
  targetKey,
  ordered,
  redrives,
}: DeliveryRow): NewJob => ({
  queue: DELIVERY_QUEUE,
  data: { delivery: id },
  key: `${id}.${redrives}`,
  lane: automation,
  tenant,
  // Attempts are counted by the delivery itself.
  retries: { limit: 1_000, lostWorkers: 1_000 },
  ...(ordered && { group: targetKey }),
})
