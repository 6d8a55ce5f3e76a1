import { randomUUID } from 'node:crypto'
import type { AuditDraft, JsonObject, PrincipalId, TenantId } from '@amodal/sdk'
import { z } from 'zod'
import type { PlacedFinding } from './finding.ts'
import { isSignedBy, type Signer } from './signer.ts'

/** The kind of the line in which an operator acknowledges a finding of `verify`. */
export const ACKNOWLEDGEMENT = 'audit_acknowledged'

/** An acknowledgement with a valid signature. */
export interface Acknowledgement {
  /** Its own line. */
  readonly n: number
  /** The id of the finding, which contains a digest of everything the finding covers. */
  readonly finding: string
  readonly principal: string
  readonly at: string
  readonly reason: string
}

/**
 * The chain alone does not prove who added a line: anyone who can write to the database could add
 * one before the next line of a server. So the line is signed by itself too.
 */
const Line = z.object({
  principal: z.string(),
  at: z.string(),
  data: z.strictObject({
    finding: z.string(),
    text: z.string(),
    reason: z.string(),
    key: z.string(),
    signature: z.string(),
  }),
})

export interface Acknowledging {
  readonly tenant: TenantId
  readonly finding: PlacedFinding
  readonly principal: PrincipalId
  readonly reason: string
  /** ms since the epoch. */
  readonly at: number
}

export function acknowledgementLine(
  signer: Signer,
  { tenant, finding, principal, reason, at }: Acknowledging,
): AuditDraft {
  const content = { finding: finding.place.id, text: finding.text, reason, key: signer.key }
  const signature = signer.sign(
    payload(tenant, { ...content, principal, at: new Date(at).toISOString() }),
  )
  return {
    tenant,
    kind: ACKNOWLEDGEMENT,
    // Unlike every earlier key: an attacker could add a line under a predictable key to block this
    // one.
    key: `${ACKNOWLEDGEMENT}:${randomUUID()}`,
    at,
    principal,
    data: { ...content, signature },
  }
}

/**
 * @param body the content of the line
 * @param signers trusted keys
 * @returns `undefined` for a line that none of them has signed
 */
export function readAcknowledgement(
  tenant: TenantId,
  n: number,
  body: JsonObject,
  signers: ReadonlySet<string>,
): Acknowledgement | undefined {
  const line = Line.safeParse(body)
  if (!line.success) return undefined
  const {
    principal,
    at,
    data: { signature, ...content },
  } = line.data
  return signers.has(content.key) &&
    isSignedBy(content.key, payload(tenant, { ...content, principal, at }), signature)
    ? { n, finding: content.finding, principal, at, reason: content.reason }
    : undefined
}

const payload = (tenant: TenantId, content: JsonObject): JsonObject => ({
  v: 1,
  kind: 'acknowledgement',
  tenant,
  ...content,
})
