import { hashOf, type CallId, type Json, type SequencedEntry, type SessionId } from '@amodal/sdk'
import { actOf, type Act } from './act.ts'
import type { Baseline, CallArguments } from './baseline.ts'
import { firstDifference } from './compare.ts'
import { callKey } from './course.ts'
import { ofKind, type Recording } from './recording.ts'
import { requestDifference, type RequestPart } from './request-difference.ts'

/** A place in a conversation. */
export interface ConversationPlace {
  /** Names of the sub-agents that lead to its session; empty: the conversation itself. */
  readonly agents: readonly string[]
  /** Messages of the user, from 1. */
  readonly message: number
  /** Answers of the model to that message, from 1. */
  readonly step: number
}

/** Where another agent first does something else than what is journaled. */
export interface ActDivergence extends ConversationPlace {
  readonly journaled: Act
  readonly replayed: Act
  /** The field of the journal that differs; empty: an entry is missing. */
  readonly field: string
}

/** Where the model of another agent is first sent something else. */
export interface RequestDivergence extends ConversationPlace {
  readonly part: RequestPart
  /** The section of the prompt, or the tool. */
  readonly what: string
  /** Hashes of the system prompt, where that differs. */
  readonly prompt?: { readonly before: string; readonly after: string }
}

/** How another agent diverges from what is journaled of a session. */
export interface SessionDivergence {
  readonly session: SessionId
  /** Left out: it does the same. */
  readonly act?: ActDivergence
  /** Left out: its model is sent the same, up to where it does something else. */
  readonly request?: RequestDivergence
}

/**
 * Compares what another agent does in a replay with what is journaled, and what its model is sent
 * with what that of the unchanged agent is sent.
 *
 * @param before the replay with the unchanged agent: the journal has no prompts
 * @param after the replay of the same recording with the other agent
 * @example
 * const { act } = sessionDivergence(before, after)
 */
export function sessionDivergence(
  before: Pick<Baseline, 'calls' | 'requests'>,
  after: Pick<Baseline, 'calls' | 'recording' | 'replayed' | 'requests'>,
): SessionDivergence {
  const { recording, replayed } = after
  const act = actDivergence(recording, replayed, { before, after })
  const request = requestDivergence(recording, before, after)
  return { session: recording.session, ...(act && { act }), ...(request && { request }) }
}

interface Sides {
  readonly before: Pick<Baseline, 'calls'>
  readonly after: Pick<Baseline, 'calls'>
}

/** The first one of a session; those of its sub-agents come behind its own. */
function actDivergence(
  recorded: Recording,
  replayed: Recording,
  sides: Sides,
): ActDivergence | undefined {
  const [own] = [
    ...entryDivergence(recorded, replayed, sides),
    ...argumentDivergence(recorded, sides),
  ].toSorted((one, other) => one.message - other.message || one.step - other.step)
  if (own) return own
  for (const [index, { recording }] of recorded.children.entries()) {
    const other = replayed.children[index]
    const found = other && actDivergence(recording, other.recording, sides)
    if (found) return found
  }
  return undefined
}

function entryDivergence(
  recorded: Recording,
  replayed: Recording,
  { after }: Sides,
): readonly ActDivergence[] {
  const difference = firstDifference(actsOf(recorded), actsOf(replayed))
  if (!difference) return []
  const { field, seq } = difference
  const [journal, other] = [withoutNotes(recorded), withoutNotes(replayed)]
  const isMissing = field === '' && difference.recorded === undefined
  const at = isMissing ? journal.length : journal.findIndex((entry) => entry.seq === seq)
  const hasRun = (call: CallId): boolean => after.calls.has(callKey(recorded.session, call))
  return [
    {
      ...placeOf(isMissing ? other : journal, at, recorded.agents),
      journaled: actOf(journal, journal[at]),
      replayed: actOf(other, other[at], (call) => !hasRun(call)),
      field,
    },
  ]
}

/** Calls that only read have no intent in the journal: their arguments are those of the replays. */
function argumentDivergence(
  recorded: Recording,
  { after, before }: Sides,
): readonly ActDivergence[] {
  const entries = withoutNotes(recorded)
  for (const entry of entries) {
    if (entry.kind !== 'tool_outcome') continue
    const key = callKey(recorded.session, entry.call)
    const [one, other] = [before.calls.get(key), after.calls.get(key)]
    if (!one || !other || (one.name === other.name && one.args === other.args)) continue
    const actWith = ({ args, name }: CallArguments): Act => ({
      does: 'call',
      tool: name,
      args: JSON.parse(args) as Json, // canonical JSON
      status: entry.status,
    })
    const place = placeOf(entries, entries.indexOf(entry), recorded.agents)
    return [{ ...place, journaled: actWith(one), replayed: actWith(other), field: 'args' }]
  }
  return []
}

const withoutNotes = ({ entries }: Recording): readonly SequencedEntry[] =>
  entries.filter(({ kind }) => kind !== 'note')

/** A session alone, without what is mere text: definitions of tools, titles, words of refusals. */
const actsOf = (recording: Recording): Recording => ({
  ...recording,
  entries: recording.entries.map(actOnly),
  children: [],
})

function actOnly(entry: SequencedEntry): SequencedEntry {
  switch (entry.kind) {
    case 'tool_intent':
      return { ...entry, tool_hash: '' }
    case 'tool_outcome': {
      const { label: _title, notice: _notice, ...outcome } = entry
      const isCoded = outcome.status === 'error' && outcome.code !== undefined
      return isCoded ? { ...outcome, output: '' } : outcome
    }
    case 'input_asked':
      return { ...entry, context: {}, tool_hash: '' }
    case 'compacted':
      return { ...entry, tokens_before: 0 }
    default:
      return entry
  }
}

function requestDivergence(
  recording: Recording,
  before: Pick<Baseline, 'requests'>,
  after: Pick<Baseline, 'requests'>,
): RequestDivergence | undefined {
  const sent = after.requests.get(recording.session) ?? []
  for (const [index, request] of sent.entries()) {
    const unchanged = before.requests.get(recording.session)?.[index]
    const difference = unchanged && requestDifference(unchanged, request)
    if (!difference) continue
    // What differs in messages comes of what was done before.
    if (difference.part === 'message') break
    const { part, what } = difference
    const entries = withoutNotes(recording)
    const reply = ofKind(entries, 'model_reply')[index]
    const at = reply ? entries.indexOf(reply) : entries.length - 1
    return {
      ...placeOf(entries, at, recording.agents),
      part,
      what,
      ...(part === 'prompt' && {
        prompt: { before: hashOf(unchanged.system), after: hashOf(request.system) },
      }),
    }
  }
  for (const { recording: child } of recording.children) {
    const found = requestDivergence(child, before, after)
    if (found) return found
  }
  return undefined
}

function placeOf(
  entries: readonly SequencedEntry[],
  at: number,
  agents: readonly string[],
): ConversationPlace {
  const upTo = entries.slice(0, at + 1)
  const last = upTo.findLastIndex(({ kind }) => kind === 'user_message')
  return {
    agents,
    message: Math.max(1, ofKind(upTo, 'user_message').length),
    step: Math.max(1, ofKind(upTo.slice(last + 1), 'model_reply').length),
  }
}
