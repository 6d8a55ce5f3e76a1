import {
  readEntries as readStored,
  readEntry as readOne,
  type Failure,
  type Result,
  type SequencedEntry,
  type StoredEntry,
} from '@amodal/kernel'
import { parseExact } from './exact-number.ts'

/** A stored entry in whatever version it was written, with all digits of its numbers. */
export const readEntry = (stored: StoredEntry): Result<SequencedEntry, Failure> =>
  readOne(stored, undefined, parseExact)

/** The same for several; the first that cannot be read is the failure. */
export const readEntries = (
  stored: readonly StoredEntry[],
): Result<readonly SequencedEntry[], Failure> => readStored(stored, parseExact)
