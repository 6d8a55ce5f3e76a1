import {
  type SessionRef,
  type SequencedEntry,
  type Sealer,
  trySync,
  type RedactedValue,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

/**
 * The values that were redacted from results and questions of a session, from the sealed parts of
 * its entries. Parts that cannot be opened are skipped.
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
