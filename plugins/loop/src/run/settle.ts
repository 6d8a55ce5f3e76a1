import {
  type CallId,
  type CallState,
  type JournalEntry,
  type Json,
  type JsonObject,
  type Note,
  OUTCOME_SETTLED,
  type OutcomeStatus,
  type SequencedEntry,
  type Settlement,
  type ToolIntent,
  type ToolOutcome,
} from '@amodal/sdk'
import { innerCalls } from '../tool-calls/inner-call.ts'
import type { LoopTurn } from './loop-turn.ts'
import { perform } from '../tool-calls/perform.ts'
import { restore, toolsOf } from '../tool-calls/prepare.ts'

/** An effect of unknown outcome, from the journal. */
export interface UnknownEffect {
  readonly outcome: SequencedEntry<ToolOutcome>
  /** The intent of the call, if it was committed. */
  readonly intent: SequencedEntry<ToolIntent> | undefined
  /** The note of the settlement, once a person has settled it. */
  readonly settled: SequencedEntry<Note> | undefined
}

/** The data of the note of a settled effect. */
export interface SettledData extends JsonObject {
  readonly call: string
  readonly name: string
  readonly settlement: Settlement
  readonly by: string
  /** The outcome of a retried effect. */
  readonly status?: OutcomeStatus
  /** The result of a retry. Kept out of the note's text, which the model reads as trusted. */
  readonly result?: Json
}

const isSettlementOf = (entry: JournalEntry, call: CallId): boolean =>
  entry.kind === 'note' &&
  entry.code === OUTCOME_SETTLED &&
  (entry.data as SettledData | undefined)?.call === call // written by `settleEffect`

/** All effects of a session whose outcome was or is unknown, oldest first. */
export function unknownEffects(entries: readonly SequencedEntry[]): readonly UnknownEffect[] {
  return entries.flatMap((outcome) => {
    if (outcome.kind !== 'tool_outcome' || outcome.status !== 'unknown') return []
    const intent = entries.find(
      (entry) =>
        entry.kind === 'tool_intent' && entry.run === outcome.run && entry.call === outcome.call,
    )
    const settled = entries.find((entry) => isSettlementOf(entry, outcome.call))
    return [
      {
        outcome,
        intent: intent?.kind === 'tool_intent' ? intent : undefined,
        settled: settled?.kind === 'note' ? settled : undefined,
      },
    ]
  })
}

export const unknownEffect = (
  entries: readonly SequencedEntry[],
  call: CallId,
): UnknownEffect | undefined =>
  unknownEffects(entries).findLast(({ outcome }) => outcome.call === call)

/** Why an effect cannot be retried; `undefined` if it can. */
export const noRetry = ({ intent }: UnknownEffect): string | undefined =>
  intent?.keyed ? undefined : 'it carries no idempotency key, so the target could not drop a repeat'

const TEXTS: Readonly<Record<Exclude<Settlement, 'retry'>, string>> = {
  happened: 'A person has checked: it did take effect.',
  not_happened: 'A person has checked: it did not take effect.',
}

/**
 * Records how a person settled an effect of unknown outcome. `retry` repeats it with the same
 * arguments and key, through the guards, so the target counts it once.
 *
 * @param entries of the whole session
 * @returns nothing where it was settled meanwhile, or the retry has no certain outcome either
 */
export async function settleEffect(
  call: CallId,
  settlement: Settlement,
  entries: readonly SequencedEntry[],
  turn: LoopTurn,
): Promise<readonly JournalEntry[]> {
  const effect = unknownEffect(entries, call)
  if (!effect || effect.settled) return []
  const { name } = effect.outcome
  const data: SettledData = { call, name, settlement, by: turn.principal }
  if (settlement !== 'retry')
    return [
      turn.newEntry({
        kind: 'note',
        code: OUTCOME_SETTLED,
        text: `"${name}" (${call}): ${TEXTS[settlement]}`,
        data,
      }),
    ]
  const retried = await retryEffect(effect, entries, turn)
  const code = retried.end === 'unknown' ? 'retry_failed' : OUTCOME_SETTLED
  return [
    turn.newEntry({
      kind: 'note',
      code,
      text: `"${name}" (${call}): ${RETRY_TEXTS[retried.end]}`,
      data: { ...data, status: retried.end, result: retried.result },
    }),
  ]
}

interface RetriedEffect {
  readonly end: OutcomeStatus
  readonly result: Json
}

const RETRY_TEXTS: Readonly<Record<OutcomeStatus, string>> = {
  success: 'It was made again under its key, and succeeded.',
  error: 'It was made again under its key, and the target refused it: it did not take effect.',
  unknown: 'It was to be made again, and its outcome is still unknown.',
}

async function retryEffect(
  { outcome, intent }: UnknownEffect,
  entries: readonly SequencedEntry[],
  turn: LoopTurn,
): Promise<RetriedEffect> {
  const unknown = (result: string): RetriedEffect => ({ end: 'unknown', result })
  const tools = await toolsOf(turn)
  if ('code' in tools) return unknown(tools.message)
  if (!intent?.keyed) return unknown('it has no idempotency key')
  const state: CallState = { id: outcome.call, name: outcome.name, phase: 'running' }
  const prepared = await restore(
    state,
    tools,
    turn,
    entries.filter(({ run }) => run === outcome.run),
  )
  if (prepared.kind === 'refused') return unknown(prepared.message)
  const { run } = outcome
  const { result, doubts } = await perform(
    prepared.call,
    turn,
    innerCalls(prepared, tools, turn, run),
    { run },
  )
  if (result.status === 'asks')
    return unknown('it asks a person, which only a call of the model can wait for')
  if (result.status === 'error')
    return { end: doubts.length === 0 ? 'error' : 'unknown', result: result.message }
  return { end: 'success', result: result.output }
}
