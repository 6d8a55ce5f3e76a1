import { randomUUID } from 'node:crypto'
import {
  type AuditDraft,
  isObject,
  type Json,
  type JsonObject,
  sha256,
  type TenantId,
} from '@amodal/sdk'
import { isSignedBy, type Signer } from './signer.ts'

/** The kind of the line that says which lines of a chain were emptied. */
export const ERASURE = 'erasure'

/** The key of a line whose text was taken away. */
export const erasedKey = (n: number): string => `erased:${n}`

interface Emptied {
  readonly n: number
  readonly hash: string
}

/** Binds an erasure to the lines that it emptied: their numbers and hashes stay. */
export const digestOf = (lines: readonly Emptied[]): string =>
  sha256(lines.map(({ n, hash }) => `${n}:${hash}\n`).join(''))

/** The content of an erasure line, and the result of verifying it. */
export interface Erasure {
  /** The lines that it names. */
  readonly ns: readonly number[]
  /** What they must come to. */
  readonly digest: string
  readonly isSigned: boolean
}

/**
 * The line of an erasure. It is signed by itself, like an acknowledgement: a line that an attacker
 * added without the key would allow removing texts later.
 *
 * @param signer missing where nothing is signed
 * @param at ms since the epoch
 */
export function erasureLine(
  signer: Signer | undefined,
  tenant: TenantId,
  lines: readonly Emptied[],
  at: number,
): AuditDraft {
  const content = { lines: lines.length, erased: rangesOf(lines), digest: digestOf(lines) }
  const signed = signer && { ...content, key: signer.key }
  return {
    tenant,
    kind: ERASURE,
    key: `${ERASURE}:${randomUUID()}`,
    at,
    data: signed
      ? {
          ...signed,
          signature: signer.sign(payload(tenant, new Date(at).toISOString(), signed)),
        }
      : content,
  }
}

/**
 * @param body the content of the line
 * @param signers trusted keys
 * @returns `undefined` for a line that does not say which lines it names
 */
export function readErasure(
  tenant: TenantId,
  { at, data }: JsonObject,
  signers: ReadonlySet<string>,
): Erasure | undefined {
  if (!isObject(data) || !Array.isArray(data['erased']) || typeof data['digest'] !== 'string')
    return undefined
  const ns: number[] = []
  for (const range of data['erased']) {
    if (!Array.isArray(range)) return undefined
    const [from, to] = range as readonly Json[] // of a value that is JSON
    if (typeof from !== 'number' || typeof to !== 'number') return undefined
    for (let n = from; n <= to; n++) ns.push(n)
  }
  return { ns, digest: data['digest'], isSigned: isErasureSigned(tenant, at, data, signers) }
}

function isErasureSigned(
  tenant: TenantId,
  at: Json | undefined,
  { signature, ...content }: JsonObject,
  signers: ReadonlySet<string>,
): boolean {
  const { key } = content
  return (
    typeof at === 'string' &&
    typeof key === 'string' &&
    typeof signature === 'string' &&
    signers.has(key) &&
    isSignedBy(key, payload(tenant, at, content), signature)
  )
}

const payload = (tenant: TenantId, at: string, content: JsonObject): JsonObject => ({
  v: 1,
  kind: ERASURE,
  tenant,
  at,
  ...content,
})

function rangesOf(lines: readonly Emptied[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  for (const { n } of lines) {
    const last = ranges.at(-1)
    if (last?.[1] === n - 1) last[1] = n
    else ranges.push([n, n])
  }
  return ranges
}
