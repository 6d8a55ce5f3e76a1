import { tenantId, type Row, type Statement, type TenantId } from '@amodal/sdk'
import { runIn, sql, statement, type Selectable } from '@amodal/sdk/database'
import type { DeliveryRow, RunEnd } from './run.ts'
import type { Outgoing, RuleDraft } from './store.ts'
import { db, type Tables } from './tables.ts'

/** A rule as the table has it. */
export type RuleRow = Selectable<Tables['automations_rule']>

/** Runs a statement in the transaction that is open. */
export type RunStatement = (statement: Statement) => Promise<readonly Row[]>

export const rulesOf = (tenant: TenantId) =>
  db
    .selectFrom('automations_rule')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('retired', '=', false)
    .orderBy('automation')

export const ruleQuery = (tenant: TenantId, automation: string) =>
  db
    .selectFrom('automations_rule')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('automation', '=', automation)

/**
 * Those of these that are paused, in one order everywhere.
 *
 * @param rules JSON of a list, each with its `tenant` and `automation`
 */
export const PAUSED = statement(
  ({ rules }: { rules: string }) => sql<Pick<RuleRow, 'tenant' | 'automation'>>`
select distinct r.tenant, r.automation
from jsonb_to_recordset(${rules}::jsonb) x(tenant text collate "C", automation text collate "C")
join automations_rule r on r.tenant = x.tenant and r.automation = x.automation
where r.paused order by 1, 2`,
)

/** Whoever locks a rule decides for its automation, one after the other. */
export const lockedRule = (tenant: TenantId, automation: string) =>
  ruleQuery(tenant, automation).forUpdate()

export const changeRule = (
  tenant: TenantId,
  automation: string,
  values: {
    readonly paused?: boolean
    readonly cursor?: number
    readonly failures?: number
    readonly alerted_at?: number
  },
) =>
  db
    .updateTable('automations_rule')
    .set(values)
    .where('tenant', '=', tenant)
    .where('automation', '=', automation)

/** Rules whose files are gone, all but these. */
export function retireOthers(tenant: TenantId, names: readonly string[]) {
  const gone = db
    .updateTable('automations_rule')
    .set({ retired: true })
    .where('tenant', '=', tenant)
    .where('retired', '=', false)
  return names.length > 0 ? gone.where('automation', 'not in', names) : gone
}

/** Keeps the place in time of a schedule that is the same as before. */
export function takeOver(tenant: TenantId, rule: RuleDraft, now: number) {
  const { automation } = rule
  const hash = rule.hash ?? null
  return db
    .insertInto('automations_rule')
    .values({ tenant, automation, hash, cursor: now })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant', 'automation'])
        .doUpdateSet({ hash, cursor: now, retired: false })
        .where(
          sql<boolean>`automations_rule.retired or automations_rule.hash is distinct from ${hash}`,
        ),
    )
}

/** Counts failures in a row, and says whom to alert. @param row locked by this transaction */
export async function countFailure(
  run: RunStatement,
  row: RuleRow,
  { status, at }: RunEnd,
  { alert }: Outgoing,
): Promise<readonly DeliveryRow[]> {
  const { automation } = row
  const tenant = tenantId(row.tenant)
  const failures = status === 'failed' ? row.failures + 1 : 0
  const isDue =
    alert !== undefined &&
    failures >= alert.after &&
    (row.alerted_at === null || at - row.alerted_at >= alert.cooldownMs)
  if (failures !== row.failures || isDue)
    await runIn(run, changeRule(tenant, automation, { failures, ...(isDue && { alerted_at: at }) }))
  return isDue ? alert.deliveries : []
}
