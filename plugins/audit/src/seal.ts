import { type JsonObject, type Result, type TenantId, trySync } from '@amodal/sdk'
import { z } from 'zod'
import type { Head } from './line.ts'
import { isSignedBy, type Signer } from './signer.ts'

/**
 * The signature of a chain's head, stored with the head in the database by the process that moved
 * it. It also records how many checkpoints existed. Written in the same statement as the lines.
 */
const Seal = z.strictObject({
  writer: z.string(),
  process: z.string(),
  /** The newest checkpoint of the writer when the head was moved. */
  seq: z.int().min(0),
  at: z.string(),
  key: z.string(),
  signature: z.string(),
})
export type Seal = Readonly<z.output<typeof Seal>>

/** A head as the database holds it. */
export interface SealedHead extends Head {
  readonly seal: string | undefined
}

export function sealOf(
  signer: Signer,
  tenant: TenantId,
  head: Head,
  seq: number,
  now: number,
): string {
  const content = {
    writer: signer.writer,
    process: signer.process,
    seq,
    at: new Date(now).toISOString(),
    key: signer.key,
  }
  return JSON.stringify({ ...content, signature: signer.sign(payload(tenant, head, content)) })
}

/** The seal of a head; `undefined` where it has none, or one that was not made for it. */
export function readSeal(tenant: TenantId, { seal: text, ...head }: SealedHead): Seal | undefined {
  const read: Result<unknown, undefined> = trySync(
    () => JSON.parse(text ?? '') as unknown,
    () => undefined,
  )
  const parsed = Seal.safeParse(read.ok ? read.value : undefined)
  if (!parsed.success) return undefined
  const { signature, ...content } = parsed.data
  return isSignedBy(content.key, payload(tenant, head, content), signature)
    ? parsed.data
    : undefined
}

const payload = (
  tenant: TenantId,
  { n, hash }: Head,
  content: Omit<Seal, 'signature'>,
): JsonObject => ({ v: 1, kind: 'head', tenant, n, hash, ...content })
