import type { TenantId } from '@amodal/sdk'
import type { Acknowledgement } from './acknowledgement.ts'
import { type Finding, isPlaced } from './finding.ts'

/**
 * What a check of one chain came to. `problems` name the line at fault; the first one is where
 * trust ends.
 */
export interface Verdict {
  readonly tenant: TenantId
  readonly lines: number
  /** Findings without an acknowledgement of their current state. */
  readonly problems: readonly Finding[]
  readonly acknowledged: readonly Acknowledged[]
  readonly notes: readonly string[]
}

export interface Acknowledged {
  readonly finding: Finding
  readonly by: Acknowledgement
}

/** What a walk along a chain has gathered. */
export interface Walked {
  readonly tenant: TenantId
  readonly lines: number
  readonly findings: readonly Finding[]
  /** Findings that there were too many to keep. */
  readonly unlisted: number
  readonly acknowledgements: readonly Acknowledgement[]
  readonly notes: readonly string[]
}

/** Separates acknowledged findings from the others. A finding that changed has another id. */
export function verdictOf({
  tenant,
  lines,
  findings,
  unlisted,
  acknowledgements,
  notes,
}: Walked): Verdict {
  const given = Map.groupBy(acknowledgements, ({ finding }) => finding)
  const acknowledgedBy = ({ place }: Finding): Acknowledgement | undefined =>
    place && given.get(place.id)?.find(({ n }) => n > place.n)
  const known = findings.flatMap((finding): readonly Acknowledged[] => {
    const by = acknowledgedBy(finding)
    return by ? [{ finding, by }] : []
  })
  const found = new Set(findings.filter(isPlaced).map(({ place }) => place.id))
  return {
    tenant,
    lines,
    problems: [
      ...findings.filter((finding) => !acknowledgedBy(finding)),
      // Whether these are acknowledged is unknown.
      ...(unlisted > 0
        ? [{ text: `${unlisted} more findings were too many to list`, place: undefined }]
        : []),
    ],
    acknowledged: known,
    notes: [
      ...notes,
      ...acknowledgements
        .filter(({ finding }) => !found.has(finding))
        .map(
          ({ n, finding }) =>
            `line ${n} acknowledges a finding that is not there, or has changed since: ${finding}`,
        ),
    ],
  }
}
