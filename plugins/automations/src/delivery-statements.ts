import type { TenantId } from '@amodal/sdk'
import { runIn, sql } from '@amodal/sdk/database'
import { deliveryValues } from './rows.ts'
import type { RunStatement } from './rule-statements.ts'
import type { Attempt, DeliveryRow, Ref } from './run.ts'
import type { DeliveryPage, DeliveryStep } from './store.ts'
import { db } from './tables.ts'

export const oneDelivery = ({ tenant, id }: Ref) =>
  db
    .selectFrom('automations_delivery')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('id', '=', id)

/** The newest first. */
export function deliveriesOf(tenant: TenantId, { automation, status, limit }: DeliveryPage) {
  let query = db.selectFrom('automations_delivery').selectAll().where('tenant', '=', tenant)
  if (automation !== undefined) query = query.where('automation', '=', automation)
  if (status !== undefined) query = query.where('status', '=', status)
  return query.orderBy('created_at', 'desc').limit(limit)
}

export const pendingDeliveries = (limit: number) =>
  db
    .selectFrom('automations_delivery')
    .selectAll()
    .where('status', '=', 'pending')
    .orderBy('created_at')
    .limit(limit)

export const insertDeliveries = (rows: readonly DeliveryRow[]) =>
  db
    .insertInto('automations_delivery')
    .values(rows.map(deliveryValues))
    .onConflict((conflict) => conflict.doNothing())

/** What an attempt means for its delivery; without one nothing was sent. */
export const stepOf = ({ tenant, id }: Ref, attempt: Attempt | undefined, next: DeliveryStep) =>
  db
    .updateTable('automations_delivery')
    .set((eb) => ({
      status: next.status,
      attempts: eb('attempts', '+', attempt ? 1 : 0),
      ended_at: next.status === 'pending' ? null : next.at,
      ...(next.status === 'delivered' && { payload: '' }),
      ...(attempt?.error !== undefined && { error: attempt.error }),
    }))
    .where('tenant', '=', tenant)
    .where('id', '=', id)

/** Dead ones only. */
export const revive = (tenant: TenantId, ids: readonly string[]) =>
  db
    .updateTable('automations_delivery')
    .set((eb) => ({
      status: 'pending',
      attempts: 0,
      ended_at: null,
      redrives: eb('redrives', '+', 1),
    }))
    .where('tenant', '=', tenant)
    .where('id', 'in', [...ids])
    .where('status', '=', 'dead')
    .returningAll()

export const goneTarget = ({ tenant, targetKey }: DeliveryRow) =>
  db
    .selectFrom('automations_gone')
    .select('at')
    .where('tenant', '=', tenant)
    .where('target_key', '=', targetKey)

export const insertGone = ({ tenant, targetKey }: DeliveryRow, at: number) =>
  db
    .insertInto('automations_gone')
    .values({ tenant, target_key: targetKey, at })
    .onConflict((conflict) => conflict.doNothing())

/** Targets of these deliveries count as there again. */
export const forgetGone = (tenant: TenantId, rows: readonly DeliveryRow[]) =>
  db
    .deleteFrom('automations_gone')
    .where('tenant', '=', tenant)
    .where(
      'target_key',
      'in',
      rows.map(({ targetKey }) => targetKey),
    )

export const attemptsOf = ({ tenant, id }: Ref) =>
  db
    .selectFrom('automations_attempt')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('delivery', '=', id)
    .orderBy('n')

export async function insertAttempt(
  run: RunStatement,
  { tenant, id }: Ref,
  attempt: Attempt,
): Promise<void> {
  const [last] = await runIn(
    run,
    db
      .selectFrom('automations_attempt')
      .select((eb) => eb.fn.max('n').as('n'))
      .where('tenant', '=', tenant)
      .where('delivery', '=', id),
  )
  await runIn(
    run,
    db.insertInto('automations_attempt').values({
      tenant,
      delivery: id,
      n: Number(last?.n ?? 0) + 1,
      at: attempt.at,
      ms: attempt.ms,
      http_status: attempt.httpStatus ?? null,
      error: attempt.error ?? null,
      body: attempt.body ?? null,
    }),
  )
}

/** Deliveries that ended before `before`, and their attempts. */
export async function pruneDeliveries(run: RunStatement, before: number): Promise<void> {
  await runIn(
    run,
    sql`delete from automations_attempt a using automations_delivery d
      where a.tenant = d.tenant and a.delivery = d.id and d.ended_at < ${before}`,
  )
  await runIn(run, db.deleteFrom('automations_delivery').where('ended_at', '<', before))
}
