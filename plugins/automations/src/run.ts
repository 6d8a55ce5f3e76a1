import { sha256, type SessionId, type TenantId } from '@amodal/sdk'
import type { Approvals, Automation, Delivery, FailureAlert, Source, Target } from './definition.ts'

/**
 * `held`: its automation is paused, and it is queued when that ends. `waiting`: a person has to
 * approve a call; no worker is held meanwhile.
 */
export type RunStatus =
  | 'queued'
  | 'held'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'skipped'

/** What a run does, fixed when it begins: a retry after a crash does the same. */
export interface RunPlan {
  readonly title: string
  readonly message: string
  readonly writeEnabled: boolean
  readonly approvals: Approvals
  readonly role: string
  /** ms that it may take. */
  readonly deadlineMs: number
  readonly delivery?: Delivery
  readonly failureAlert?: FailureAlert
}

/** A call that needed a person, or that a run may not make. */
export interface RefusedCall {
  readonly tool: string
  readonly reason: string
}

/** The payload of a webhook: its beginning, and how long it was. */
export interface RunEvent {
  readonly text: string
  readonly bytes: number
  /** The trace that its sender has named, to which the run belongs. */
  readonly traceparent?: string
}

/** One occurrence of an automation. All times are ms since the epoch. */
export interface Run {
  readonly tenant: TenantId
  readonly id: string
  readonly automation: string
  /** Unique in its automation: the due time, the id of a delivery, or an id made for it. */
  readonly occurrence: string
  readonly source: Source
  readonly due: number
  readonly status: RunStatus
  readonly createdAt: number
  /** Until when it is held, where its status is `held`. */
  readonly heldUntil?: number
  /** How often it was held: each time its job is another one. */
  readonly holds: number
  readonly startedAt?: number
  /** Since when it waits for a person, where its status is `waiting`. */
  readonly waitingSince?: number
  /** ms for which it has waited for people: they are not part of its deadline. */
  readonly waitedMs: number
  /** How often it went on after a wait: each time its job is another one. */
  readonly wakes: number
  readonly endedAt?: number
  readonly session?: SessionId
  readonly plan?: RunPlan
  readonly event?: RunEvent
  readonly result?: string
  readonly error?: string
  readonly refused: readonly RefusedCall[]
}

export interface NewRun {
  readonly tenant: TenantId
  readonly automation: string
  readonly occurrence: string
  readonly source: Source
  readonly due: number
  readonly event?: RunEvent
  /** Until when it is held where the automation is paused; left out where it is not held. */
  readonly holdUntil?: number
  /** Runs of this automation begin one after the other. */
  readonly inOrder: boolean
}

export interface RunEnd {
  readonly status: 'completed' | 'failed'
  readonly at: number
  readonly result?: string
  readonly error?: string
  readonly refused: readonly RefusedCall[]
}

/** Names one run or one delivery. */
export interface Ref {
  readonly tenant: TenantId
  readonly id: string
}

/** The same occurrence always has the same id. */
export const runIdOf = ({ tenant, automation, occurrence }: NewRun): string =>
  `auto_run_${sha256(JSON.stringify([tenant, automation, occurrence])).slice(0, 20)}`

export const newRun = (draft: NewRun, now: number): Run => ({
  tenant: draft.tenant,
  id: runIdOf(draft),
  automation: draft.automation,
  occurrence: draft.occurrence,
  source: draft.source,
  due: draft.due,
  status: 'queued',
  createdAt: now,
  holds: 0,
  waitedMs: 0,
  wakes: 0,
  refused: [],
  ...(draft.event !== undefined && { event: draft.event }),
})

/** The same run while its automation is paused. */
export const heldRun = (run: Run, until: number): Run => ({
  ...run,
  status: 'held',
  heldUntil: until,
  holds: run.holds + 1,
})

/** ms since the epoch until which an event that comes now is held. */
export const holdUntil = (
  { whilePaused, holdHours }: Automation,
  now: number,
): number | undefined => (whilePaused === 'hold' ? now + holdHours * 3_600_000 : undefined)

/** The same run while it waits for a person. */
export const waitingRun = (run: Run, now: number): Run => ({
  ...run,
  status: 'waiting',
  waitingSince: now,
})

/** The same run after the wait. */
export function wokenRun({ waitingSince, ...run }: Run, now: number): Run {
  const waitedMs = run.waitedMs + Math.max(0, now - (waitingSince ?? now))
  return { ...run, status: 'running', waitedMs, wakes: run.wakes + 1 }
}

/** ms since the epoch at which a run has taken too long. */
export const deadlineOf = (
  { startedAt, createdAt, waitedMs }: Run,
  { deadlineMs }: Pick<RunPlan, 'deadlineMs'>,
): number => (startedAt ?? createdAt) + waitedMs + deadlineMs

/** Whether there is no more to wait for: it has ended, or a person is asked. */
export const isSettled = ({ endedAt, status }: Run): boolean =>
  endedAt !== undefined || status === 'waiting'

export const HELD_TOO_LONG = 'the automation was paused for longer than its events are held'

export type DeliveryStatus = 'pending' | 'delivered' | 'dead'

/** One result on its way to one target. */
export interface DeliveryRow extends Ref {
  readonly run: string
  readonly automation: string
  readonly target: Target
  /** Equal for equal targets of one automation. */
  readonly targetKey: string
  readonly ordered: boolean
  /** JSON that is sent, the same on every attempt. */
  readonly payload: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly redrives: number
  readonly createdAt: number
  readonly endedAt?: number
  readonly error?: string
}

/** One attempt at a delivery. */
export interface Attempt {
  readonly at: number
  readonly ms: number
  readonly httpStatus?: number
  readonly error?: string
  /** The beginning of what the target answered. */
  readonly body?: string
}

/** A delivery to write down: its id follows from the run and the place of its target. */
export function newDelivery(
  run: Pick<Run, 'tenant' | 'id' | 'automation'>,
  target: Target,
  {
    place,
    payload,
    ordered,
    now,
  }: { place: string; payload: string; ordered: boolean; now: number },
): DeliveryRow {
  return {
    tenant: run.tenant,
    id: `msg_${sha256(JSON.stringify([run.tenant, run.id, place])).slice(0, 24)}`,
    run: run.id,
    automation: run.automation,
    target,
    targetKey: sha256(JSON.stringify([run.automation, target])).slice(0, 24),
    ordered,
    payload,
    status: 'pending',
    attempts: 0,
    redrives: 0,
    createdAt: now,
  }
}

/** Whether a run of this automation waits for those before it. */
export const isInOrder = ({ overlap }: Automation): boolean => overlap === 'queue'
