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
  tenantId,
  type TenantId,
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { headOf } from './database-store.ts'
import { ERASURE, erasureData } from './erased.ts'
import { chained, EMPTY, type Head } from './line.ts'
import type { LineFile } from './line-file.ts'
import type { SealedHead } from './seal.ts'
import type { Sealing } from './sealing.ts'
import {
  ADD_LINES,
  ALLOW_ERASURE,
  ELSEWHERE,
  EMPTY_LINES,
  END_ERASURE,
  LOCK_HEAD,
  MOVE_HEAD,
  OWN,
} from './statements.ts'

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
      const name = JSON.stringify(request.principal)
      const [others] = await runIn(run, ELSEWHERE({ name, tenant: request.tenant ?? null }))
      return ok({
        removed: lines.length,
        unknown: others?.n ?? 0,
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
  const own = { principal, tenant: tenant ?? null, sessions: JSON.stringify(sessions) }
  const rows = await runIn(run, OWN(own))
  return rows.map((row) => ({ ...row, tenant: tenantId(row.tenant) }))
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
  const [row] = await runIn(run, LOCK_HEAD({ tenant }))
  const head: SealedHead = row ? headOf(row) : { ...EMPTY, seal: undefined }
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
  const ns = own.map(({ n }) => n)
  await runIn(run, { ...EMPTY_LINES({ tenant, ns }), before: [ALLOW_ERASURE()] })
  await runIn(run, END_ERASURE())
  await runIn(run, ADD_LINES({ tenant, rows: JSON.stringify(lines) }))
  const { n, hash } = last
  await runIn(run, MOVE_HEAD({ tenant, n, hash, seal: seal?.value ?? null }))
  return ok({ n, hash })
}
