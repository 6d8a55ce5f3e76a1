import { randomUUID } from 'node:crypto'
import {
  ok,
  type Clock,
  type Eraser,
  type EraserRun,
  type ErasureRequest,
  type ErasedSession,
  type Failure,
  type Result,
  type Row,
  tenantId,
  type TenantId,
} from '@amodal/sdk'
import { ERASURE, erasureData } from './erased.ts'
import { chained, EMPTY, type Head } from './line.ts'
import type { LineFile } from './line-file.ts'
import type { SealedHead } from './seal.ts'
import type { Sealing } from './sealing.ts'

/** Lines of a person, and of their sessions. */
const OWN = `
select l.tenant, l.n, l.hash from audit_line l
where l.body <> '' and ((($2::text is null or l.tenant = $2) and case when l.body = '' then null else l.body::jsonb ->> 'principal' end = $1)
  or exists (select from jsonb_to_recordset($3::jsonb) gone(tenant text, session text) where gone.tenant = l.tenant and gone.session = l.session))
order by l.tenant, l.n`

/** Of other people's lines, those that say the name anywhere. */
const ELSEWHERE = `select count(*)::int as n from audit_line where ($2::text is null or tenant = $2) and strpos(body, $1) > 0`

/**
 * Takes the text of lines away; numbers and hashes stay, and a line of each chain says which they
 * were.
 */
export function auditEraser({
  sealing,
  file,
  clock,
}: {
  readonly sealing: Sealing | undefined
  readonly file: LineFile | undefined
  readonly clock: Clock
}): Eraser {
  const moved = new Map<TenantId, Head>()
  return {
    async erase(request, run) {
      moved.clear()
      const lines = await linesOf(request, run)
      const chains = Map.groupBy(lines, ({ tenant }) => tenant)
      for (const [tenant, own] of chains) {
        const head = await emptied(tenant, own, { run, sealing, clock })
        if (!head.ok) return head
        moved.set(tenant, head.value)
      }
      const [others] = await run({
        sql: ELSEWHERE,
        parameters: [JSON.stringify(request.principal), request.tenant ?? null],
      })
      return ok({
        removed: lines.length,
        unknown: Number(others?.['n'] ?? 0),
        tables: ['audit_line', 'audit_head'],
      })
    },
    async erased() {
      for (const [tenant, head] of moved) sealing?.count(tenant, head)
      return (await file?.erase([...moved.keys()])) ?? ok(undefined)
    },
  }
}

interface OwnLine {
  readonly tenant: TenantId
  readonly n: number
  readonly hash: string
}

async function linesOf(
  { principal, tenant, sessions }: ErasureRequest & { readonly sessions: readonly ErasedSession[] },
  run: EraserRun,
): Promise<readonly OwnLine[]> {
  const rows = await run({
    sql: OWN,
    parameters: [principal, tenant ?? null, JSON.stringify(sessions)],
  })
  return rows.map((row: Row) => ({
    tenant: tenantId(String(row['tenant'])),
    n: Number(row['n']),
    hash: String(row['hash']),
  }))
}

interface Around {
  readonly run: EraserRun
  readonly sealing: Sealing | undefined
  readonly clock: Clock
}

async function emptied(
  tenant: TenantId,
  own: readonly OwnLine[],
  { run, sealing, clock }: Around,
): Promise<Result<Head, Failure>> {
  const [row] = await run({
    sql: 'select n, hash, seal from audit_head where tenant = $1 for update',
    parameters: [tenant],
  })
  const head: SealedHead = row
    ? {
        n: Number(row['n']),
        hash: String(row['hash']),
        seal: typeof row['seal'] === 'string' ? row['seal'] : undefined,
      }
    : { ...EMPTY, seal: undefined }
  const found = sealing?.examine(tenant, head, undefined) ?? []
  const lines = chained(head, [
    ...found,
    {
      tenant,
      kind: ERASURE,
      key: `${ERASURE}:${randomUUID()}`,
      at: clock.now(),
      data: erasureData(own),
    },
  ])
  const last = lines.at(-1) ?? head
  const seal = sealing?.seal(tenant, last)
  if (seal && !seal.ok) return seal
  await run({
    before: [{ sql: "select set_config('amodal.audit_erasure', 'on', true)", parameters: [] }],
    sql: `update audit_line set body = '', session = null, key = 'erased:' || n where tenant = $1 and n = any($2::bigint[])`,
    parameters: [tenant, own.map(({ n }) => n)],
  })
  await run({ sql: "select set_config('amodal.audit_erasure', 'off', true)", parameters: [] })
  await run({
    sql: `insert into audit_line(tenant, n, key, session, body, hash)
      select $1, line.n, line.key, null, line.body, line.hash from jsonb_to_recordset($2::jsonb) as line(n bigint, key text, body text, hash text)`,
    parameters: [tenant, JSON.stringify(lines)],
  })
  await run({
    sql: 'update audit_head set n = $2, hash = $3, seal = $4 where tenant = $1',
    parameters: [tenant, last.n, last.hash, seal?.value ?? null],
  })
  return ok({ n: last.n, hash: last.hash })
}
