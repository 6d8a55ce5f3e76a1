import { sessionId, tenantId } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import type { Insertable, Selectable } from '@amodal/sdk/database'
import type { Source, Target } from './definition.ts'
import type {
  Attempt,
  DeliveryRow,
  DeliveryStatus,
  RefusedCall,
  Run,
  RunEvent,
  RunPlan,
  RunStatus,
} from './run.ts'
import type { Rule } from './store.ts'
import type { Tables } from './tables.ts'

/** Leaves out what is null. */
const given = <K extends string, T>(name: K, value: T | null): { readonly [N in K]?: T } =>
  // an object with one key, or none
  (value === null ? {} : { [name]: value }) as { readonly [N in K]?: T }

/** Rows were written by this plugin: texts of its unions, and JSON of its own types. */
export const runOf = (row: Selectable<Tables['automations_run']>): Run => ({
  tenant: tenantId(row.tenant),
  id: row.id,
  automation: row.automation,
  occurrence: row.occurrence,
  source: row.source as Source,
  due: row.due,
  status: row.status as RunStatus,
  createdAt: row.created_at,
  holds: row.holds,
  waitedMs: row.waited_ms,
  wakes: row.wakes,
  refused: parseExact(row.refused) as readonly RefusedCall[],
  ...given('heldUntil', row.held_until),
  ...given('startedAt', row.started_at),
  ...given('waitingSince', row.waiting_since),
  ...given('endedAt', row.ended_at),
  ...given('session', row.session === null ? null : sessionId(row.session)),
  ...given('plan', row.plan === null ? null : (parseExact(row.plan) as RunPlan)),
  ...given('event', row.event === null ? null : (parseExact(row.event) as RunEvent)),
  ...given('result', row.result),
  ...given('error', row.error),
})

export const ruleOf = (row: Selectable<Tables['automations_rule']>): Rule => ({
  automation: row.automation,
  hash: row.hash ?? undefined,
  cursor: row.cursor,
  paused: row.paused,
  failures: row.failures,
  ...given('alertedAt', row.alerted_at),
})

export const deliveryOf = (row: Selectable<Tables['automations_delivery']>): DeliveryRow => ({
  tenant: tenantId(row.tenant),
  id: row.id,
  run: row.run,
  automation: row.automation,
  target: parseExact(row.target) as Target,
  targetKey: row.target_key,
  ordered: row.ordered,
  payload: row.payload,
  status: row.status as DeliveryStatus,
  attempts: row.attempts,
  redrives: row.redrives,
  createdAt: row.created_at,
  ...given('endedAt', row.ended_at),
  ...given('error', row.error),
})

export const attemptOf = (row: Selectable<Tables['automations_attempt']>): Attempt => ({
  at: row.at,
  ms: row.ms,
  ...given('httpStatus', row.http_status),
  ...given('error', row.error),
  ...given('body', row.body),
})

export const deliveryValues = (row: DeliveryRow): Insertable<Tables['automations_delivery']> => ({
  tenant: row.tenant,
  id: row.id,
  run: row.run,
  automation: row.automation,
  target: JSON.stringify(row.target),
  target_key: row.targetKey,
  ordered: row.ordered,
  payload: row.payload,
  status: row.status,
  created_at: row.createdAt,
})
