import {
  type Clock,
  err,
  failure,
  type Failure,
  type PrincipalId,
  type Result,
  slot,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'
import { acknowledgementLine } from './acknowledgement.ts'
import { AuditSignerUnknown } from './errors.ts'
import type { PlacedFinding } from './finding.ts'
import type { Recovery } from './recovery.ts'
import type { Sealing } from './sealing.ts'
import type { Trail } from './trail.ts'

const WRITE_MS = 20_000

/** Adds acknowledgements to the chains of an agent; for `ops audit acknowledge`. */
export interface Acknowledgements {
  /** @param signers keys that `verify` trusts: it ignores a line signed by another key */
  add(
    finding: PlacedFinding,
    by: Acknowledger,
    signers: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>>
}
export const Acknowledgements = slot.kernel<Acknowledgements>('audit-acknowledgements')

export interface Acknowledger {
  /** Of the chain that the finding is in. */
  readonly tenant: TenantId
  readonly principal: PrincipalId
  readonly reason: string
}

interface Around {
  readonly sealing: Sealing | undefined
  readonly recovery: Recovery | undefined
  readonly trail: Trail
  readonly clock: Clock
}

export const acknowledgements = ({
  sealing,
  recovery,
  trail,
  clock,
}: Around): Acknowledgements => ({
  async add(finding, by, signers, signal) {
    if (!sealing)
      return err(
        failure(
          'NOT_FOUND',
          'this agent signs nothing of its audit log, so nothing in it can be acknowledged',
        ),
      )
    const opened = sealing.open()
    if (!opened.ok) return opened
    const { signer } = opened.value
    if (!signers.has(signer.key))
      return err(
        AuditSignerUnknown(
          `the key of ${signer.folder} is in no trusted list of signers: ${signer.key}`,
        ),
      )
    // Before the first line of any process: its checkpoint would cover lines that a kill left.
    recovery?.begin(trail)
    await recovery?.reported()
    return trail.write(
      acknowledgementLine(signer, { ...by, finding, at: clock.now() }),
      timeLimit(WRITE_MS, 'writing to the audit log', signal),
    )
  },
})
