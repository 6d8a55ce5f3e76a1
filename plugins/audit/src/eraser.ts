import {
  err,
  ok,
  type Clock,
  type Eraser,
  type EraserRun,
  type ErasureRequest,
  type ErasedSession,
  type Failure,
  type Result,
  runId,
  sessionId,
  tenantId,
  type TenantId,
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { headOf } from './database-store.ts'
import { erasureLine } from './erased.ts'
import { AuditUnsealed } from './errors.ts'
import { type AuditLine, chained, EMPTY, type Head } from './line.ts'
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
  OWN_SESSIONS,
} from './statements.ts'

/**
 * Removes the text of lines. Numbers and hashes stay, and a line of each chain records which lines
 * were erased.
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
    async sessions({ principal, tenant }, run) {
      const rows = await runIn(run, OWN_SESSIONS({ principal, tenant: tenant ?? null }))
      return ok(
        rows.map(({ tenant: of, session, runs }) => ({
          tenant: tenantId(of),
          session: sessionId(session),
          runs: runs.map(runId),
        })),
      )
    },
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
  around: Around,
): Promise<Result<Head, Failure>> {
  const { run } = around
  const [row] = await runIn(run, LOCK_HEAD({ tenant }))
  const continued = continuedBy(tenant, own, row ? headOf(row) : UNSEALED, around)
  if (!continued.ok) return continued
  const { lines, head, seal } = continued.value
  const ns = own.map(({ n }) => n)
  await runIn(run, { ...EMPTY_LINES({ tenant, ns }), before: [ALLOW_ERASURE()] })
  await runIn(run, END_ERASURE())
  await runIn(run, ADD_LINES({ tenant, rows: JSON.stringify(lines) }))
  await runIn(run, MOVE_HEAD({ tenant, ...head, seal: seal ?? null }))
  return ok(head)
}

const UNSEALED: SealedHead = { ...EMPTY, seal: undefined }

interface Continued {
  readonly lines: readonly AuditLine[]
  readonly head: Head
  readonly seal: string | undefined
}

/** The lines that an erasure adds to a chain: what is wrong with its end, and what was emptied. */
function continuedBy(
  tenant: TenantId,
  own: readonly OwnLine[],
  end: SealedHead,
  { sealing, clock }: Around,
): Result<Continued, Failure> {
  if (!sealing) {
    const lines = chained(end, [erasureLine(undefined, tenant, own, clock.now())])
    return ok({ lines, head: lastOf(lines, end), seal: undefined })
  }
  const opened = sealing.open()
  if (!opened.ok) return opened
  const { signer, file } = opened.value
  // Sealing some heads here would make the unsealed heads of all others look tampered with.
  if (end.n > 0 && end.seal === undefined && !file.isChained)
    return err(
      AuditUnsealed(
        `the audit log of "${tenant}" is of a release that did not seal it; nothing was erased`,
      ),
    )
  const lines = chained(end, [
    ...sealing.examine(tenant, end, undefined),
    erasureLine(signer, tenant, own, clock.now()),
  ])
  const head = lastOf(lines, end)
  const seal = sealing.seal(tenant, head)
  return seal.ok ? ok({ lines, head, seal: seal.value }) : seal
}

const lastOf = (lines: readonly AuditLine[], end: Head): Head => {
  const { n, hash } = lines.at(-1) ?? end
  return { n, hash }
}
