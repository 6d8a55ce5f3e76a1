import { type LaneRef, type Placed, type Sealer, trySync, type Withheld } from '@amodal/sdk'

/**
 * What was taken out of the results of a session, from the sealed parts of its outcomes. One that
 * cannot be opened is left out.
 */
export function withheldIn(
  entries: readonly Placed[],
  ref: LaneRef,
  sealer: Sealer | undefined,
): readonly Withheld[] {
  if (!sealer) return []
  return entries.flatMap((entry) => {
    if (entry.kind !== 'tool_outcome' || entry.sealed === undefined) return []
    const opened = sealer.open(ref, entry.sealed)
    const read = opened.ok
      ? trySync(
          () => JSON.parse(opened.value) as readonly Withheld[],
          () => undefined,
        )
      : opened // sealed by us
    return read.ok ? read.value : []
  })
}
