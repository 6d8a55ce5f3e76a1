import { canonical, type JsonObject, sha256, type TenantId } from '@amodal/sdk'

/**
 * Characters of a digest in an id: 128 bits, so that two findings with the same id cannot be
 * constructed.
 */
const DIGEST = 32

/** What a check found wrong with a chain. */
export interface Finding {
  readonly text: string
  /**
   * Missing for what is wrong with the end of a chain: the next line changes it, so it cannot be
   * acknowledged.
   */
  readonly place: Place | undefined
}

/** Where a finding is, and exactly what it is. */
export interface Place {
  readonly n: number
  /** `<line>:<digest of the finding and of the line as it is now>`. */
  readonly id: string
}

export interface PlacedFinding extends Finding {
  readonly place: Place
}

export const isPlaced = (finding: Finding): finding is PlacedFinding => finding.place !== undefined

/**
 * The id of a finding changes with everything that the finding is about. Otherwise an
 * acknowledgement would also cover what is changed there later.
 *
 * @param rule which check failed
 * @param facts the line as it is now, the one before it, and what the check compared them with
 */
export const placeOf = (
  tenant: TenantId,
  rule: string,
  { n, ...facts }: JsonObject & { readonly n: number },
): Place => ({
  n,
  id: `${n}:${sha256(canonical({ v: 1, tenant, rule, n, facts })).slice(0, DIGEST)}`,
})
