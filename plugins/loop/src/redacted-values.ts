import {
  type SessionRef,
  type SequencedEntry,
  type Sealer,
  trySync,
  type RedactedValue,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/**
 * What was taken out of the results of a session and of questions of its targets, from the sealed
 * parts of their entries. One that cannot be opened is left out.
 */
export function redactedValuesIn(
  entries: readonly SequencedEntry[],
  ref: SessionRef,
  sealer: Sealer | undefined,
): readonly RedactedValue[] {
  if (!sealer) return []
  return entries.flatMap((entry) => {
    if (!mayHold(entry) || entry.sealed === undefined) return []
    const opened = sealer.open(ref, entry.sealed)
    const read = opened.ok
      ? trySync(
          () => parseExact(opened.value) as readonly RedactedValue[],
          () => undefined,
        )
      : opened // sealed by us
    return read.ok ? read.value : []
  })
}

const mayHold = (entry: SequencedEntry): boolean =>
  entry.kind === 'tool_outcome' || (entry.kind === 'input_asked' && entry.ask_type === 'question')
