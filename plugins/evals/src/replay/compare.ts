import { isList, isObject, type Json, type JsonObject, type SequencedEntry } from '@amodal/sdk'
import type { Recording } from './recording.ts'

/** The first entry that is not what was recorded. */
export interface EntryDifference {
  /** Names of the sub-agents that lead to its session; empty: the conversation itself. */
  readonly agents: readonly string[]
  /** Of the recorded entry, or of the one that takes its place. */
  readonly seq: number
  readonly kind: string
  /** The field that differs, such as `output.total`; empty: one of them is missing. */
  readonly field: string
  readonly recorded: Json | undefined
  readonly replayed: Json | undefined
}

/** What differs from run to run, and says nothing of what the agent did. */
const VOLATILE: ReadonlySet<string> = new Set([
  'at',
  'bundle',
  'cost',
  'expires_at',
  'key',
  'ms',
  'principal',
  'run',
  'sealed',
  'seq',
  'v',
])

/** Of a summary: the journal has what was made of its model's words, and not the words. */
const SUMMED_UP: ReadonlySet<string> = new Set(['summary', 'summary_tokens', 'tokens_after'])

/**
 * Compares the journal of a replay with the recorded one, sub-agents included. Notes are left out:
 * they tell of processes and attempts, and change no history.
 *
 * @returns the first difference, or `undefined` where there is none
 */
export function firstDifference(
  recorded: Recording,
  replayed: Recording,
): EntryDifference | undefined {
  const before = comparable(recorded)
  const after = comparable(replayed)
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const [one, other] = [before[index], after[index]]
    const found = differenceOf(one?.entry, other?.entry)
    if (!found) continue
    return {
      agents: recorded.agents,
      seq: one?.seq ?? other?.seq ?? 0,
      kind: kindOf(one?.entry ?? other?.entry),
      ...found,
    }
  }
  for (const [index, child] of recorded.children.entries()) {
    const other = replayed.children[index]
    const found = other && firstDifference(child.recording, other.recording)
    if (found) return found
  }
  return undefined
}

const kindOf = (entry: JsonObject | undefined): string => {
  const kind = entry?.['kind']
  return typeof kind === 'string' ? kind : ''
}

interface Comparable {
  readonly seq: number
  readonly entry: JsonObject
}

/** Entries with ids by their order, without what differs from run to run. */
function comparable({ entries }: Recording): readonly Comparable[] {
  const ids = new Map<string, string>()
  const nameOf = (kind: string, id: string): string => {
    const known = ids.get(id) ?? `${kind} ${ids.size + 1}`
    ids.set(id, known)
    return known
  }
  return entries
    .filter(({ kind }) => kind !== 'note')
    .map((entry) => ({ seq: entry.seq, entry: stable(entry, nameOf) }))
}

function stable(entry: SequencedEntry, nameOf: (kind: string, id: string) => string): JsonObject {
  const json = JSON.parse(JSON.stringify(entry)) as JsonObject
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
      if (VOLATILE.has(name) || (entry.kind === 'compacted' && SUMMED_UP.has(name))) return []
      if ((name === 'ask' || name === 'child') && typeof value === 'string')
        return [[name, nameOf(name, value)]]
      if (name === 'session_state' && isObject(value)) {
        // Since when a sub-agent works, that it works in a replay, and with which deployment.
        const {
          delegation: _since,
          'evals-replay': _replay,
          'lasting:deploy': _snapshot,
          ...rest
        } = value
        return Object.keys(rest).length === 0 ? [] : [[name, rest]]
      }
      return [[name, value]]
    }),
  )
}

type Found = Pick<EntryDifference, 'field' | 'recorded' | 'replayed'>

/** Where two values differ first, field by field in the order of the recorded one. */
function differenceOf(
  recorded: Json | undefined,
  replayed: Json | undefined,
  field: readonly string[] = [],
): Found | undefined {
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return undefined
  const names = childNames(recorded, replayed)
  if (!names) return { field: field.join('.'), recorded, replayed }
  for (const name of names) {
    const found = differenceOf(childOf(recorded, name), childOf(replayed, name), [...field, name])
    if (found) return found
  }
  // The same fields in another order.
  return undefined
}

function childNames(one: Json | undefined, other: Json | undefined): readonly string[] | undefined {
  if (isObject(one) && isObject(other))
    return [...new Set([...Object.keys(one), ...Object.keys(other)])]
  if (isList(one) && isList(other))
    return Array.from({ length: Math.max(one.length, other.length) }, (_, index) => String(index))
  return undefined
}

function childOf(value: Json | undefined, name: string): Json | undefined {
  if (isObject(value)) return value[name]
  return isList(value) ? value[Number(name)] : undefined
}
