import { isObject, type AgentEvent, type JsonObject, type SequencedEntry } from '@amodal/sdk'
import { patched, type LiveState } from '@amodal/sdk/client'
import type { Plan } from './plan.ts'
import { changesOf } from './scenarios.ts'

/** Fields of the state that turns change, as the chaos agent declares them. */
export const STATE = {
  properties: {
    last: { type: 'string', default: '', visibility: 'public', write: ['model'] },
    board: { type: 'object', default: {}, visibility: 'public', write: ['model'] },
    // Of the agent: hidden, and read where they are kept.
    counted: { type: 'integer', default: 0, scope: 'agent' },
    counters: { type: 'object', default: {}, scope: 'agent' },
    // Nobody writes it: what is not changed stays.
    still: { type: 'array', default: [1, 2], visibility: 'public', write: [] },
  },
}
const BEGINNING: JsonObject = { last: '', board: {}, still: [1, 2] }
const FIELD = 'lasting:state/'

/** What a journal says of the state. */
export interface StateOfJournal {
  /** After each change, by applying its patch to what there was; the first has no change. */
  readonly versions: readonly JsonObject[]
  /** The version that the last patch leads to. */
  readonly last: string | undefined
  readonly findings: readonly string[]
}

/**
 * Reads a journal twice: by the patches that clients were told, and by what the product keeps. They
 * must agree after each entry, and each patch must begin where the one before it ended.
 */
export function stateIn(entries: readonly SequencedEntry[]): StateOfJournal {
  const findings: string[] = []
  const versions = [BEGINNING]
  let kept = BEGINNING
  let last: string | undefined
  for (const entry of entries) {
    if (entry.kind !== 'note') continue
    const changes = Object.entries(entry.session_state ?? {}).filter(([key]) =>
      key.startsWith(FIELD),
    )
    const deltas = ((entry.events ?? []) as readonly AgentEvent[]).filter(
      (event) => event.type === 'state_delta',
    ) // the journal keeps them as the wire has them
    if (changes.length > 0 !== deltas.length > 0)
      findings.push(`entry ${entry.seq} has ${changes.length} changes and ${deltas.length} patches`)
    for (const [key, value] of changes)
      kept = { ...kept, [key.slice(FIELD.length)]: Array.isArray(value) ? value[1] : null }
    for (const delta of deltas) {
      if (last !== undefined && delta.base !== last)
        findings.push(`entry ${entry.seq}: a patch of ${delta.base} after ${last}`)
      last = delta.version
      const next = patched(versions.at(-1) ?? BEGINNING, delta.patch)
      versions.push(isObject(next) ? next : {})
    }
    if (changes.length > 0 && !isSame(versions.at(-1), kept))
      findings.push(
        `entry ${entry.seq}: patches give ${text(versions.at(-1))}, kept is ${text(kept)}`,
      )
  }
  return { versions, last, findings }
}

/**
 * Holds the state against the journal, and both against what the turns were to do.
 *
 * @param now as the server answers
 * @param seen by a mirror that was there from the beginning, over the crash
 */
export function judgeState(
  entries: readonly SequencedEntry[],
  plans: readonly Plan[],
  now: LiveState,
  seen: readonly LiveState[],
): readonly string[] {
  const { versions, last, findings } = stateIn(entries)
  const found = [...findings]
  const end = versions.at(-1)
  if (!isSame(now.state, end))
    found.push(`the state is ${text(now.state)}, patches give ${text(end)}`)
  if (last !== undefined && now.version !== last)
    found.push(`the state is at ${now.version}, the last patch leads to ${last}`)
  const marker = plans.flatMap(changesOf).at(-1)?.marker
  if (now.state['last'] !== (marker ?? ''))
    found.push(`the last change is ${text(now.state['last'])} and not ${String(marker)}`)
  const turns = plans.filter((plan) => changesOf(plan).length > 0).length
  if (versions.length !== turns + 1)
    found.push(`${turns} turns have changed the state ${versions.length - 1} times`)
  // What a mirror has seen is what the journal says, in its order.
  let at = 0
  for (const { state } of seen) {
    const next = versions.findIndex((one, index) => index >= at && isSame(one, state))
    if (next < 0) found.push(`a mirror has seen ${text(state)}, which never was behind ${at}`)
    else at = next
  }
  if (seen.length > 0 && !isSame(seen.at(-1)?.state, end))
    found.push(`a mirror ended with ${text(seen.at(-1)?.state)}`)
  return found
}

const text = (value: unknown): string => JSON.stringify(value)
const isSame = (one: unknown, other: unknown): boolean => sorted(one) === sorted(other)
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
