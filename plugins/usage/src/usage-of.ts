import type { SequencedEntry, Spent } from '@amodal/sdk'
import { automationOf } from '@amodal/plugin-automations/tokens'
import { CallTally } from './call-tally.ts'
import type { RunPlace, RunUsage } from './run-usage.ts'

/** The text of the note that a failed attempt leaves. */
const FAILED_ATTEMPT = 'an attempt that failed'

/**
 * What a run came to, from its entries: the same whether they come from its end or, after a crash,
 * from the journal.
 *
 * @param entries of one run, in their order; those behind its end are ignored
 * @returns `undefined` for a run that has not ended, or that does not begin with a message
 */
export function usageOf(
  entries: readonly SequencedEntry[],
  { session, agent, profile }: RunPlace,
): RunUsage | undefined {
  const last = entries.findIndex(({ kind }) => kind === 'run_ended')
  const end = entries[last]
  const first = entries.find((entry) => entry.kind === 'user_message')
  if (end?.kind !== 'run_ended' || first?.kind !== 'user_message') return undefined
  const own = entries.slice(0, last + 1)
  const models = modelsIn(own)
  const waitedMs = waitedIn(own)
  const startedAt = own[0]?.at ?? end.at
  const { calls, errors, ...sums } = models.total()
  return {
    run: end.run,
    session,
    principal: first.principal,
    agent,
    automation: automationOf(first.principal) ?? null,
    profile,
    startedAt,
    endedAt: end.at,
    ms: Math.max(0, end.at - startedAt - waitedMs),
    waitedMs,
    modelMs: own.reduce((sum, one) => (one.kind === 'model_reply' ? sum + one.ms : sum), 0),
    reason: end.reason,
    error: end.error?.code ?? null,
    calls,
    callErrors: errors,
    ...sums,
    models: models.sums(),
    tools: toolsIn(own).sums(),
    seq: end.seq,
  }
}

function modelsIn(entries: readonly SequencedEntry[]): CallTally {
  const tally = new CallTally()
  const spend = ({ model, usage, cost }: Spent, isError: boolean, ms?: number): void =>
    tally.add(`${model.provider}/${model.model}`, {
      isError,
      usage,
      ms,
      cost,
      isPriced: cost !== undefined,
    })
  for (const entry of entries) {
    if (entry.kind === 'model_reply') spend(entry, false, entry.ms)
    // What a sub-agent has used stands in its own session, too.
    else if (entry.kind === 'note' && entry.spent && entry.code !== 'child_spent')
      spend(entry.spent, entry.text === FAILED_ATTEMPT)
  }
  return tally
}

/** Tools have no tokens of their own: those of a call are of the sub-agents that it ran. */
function toolsIn(entries: readonly SequencedEntry[]): CallTally {
  const tally = new CallTally()
  const names = new Map(
    entries.flatMap((entry) =>
      entry.kind === 'model_reply' ? entry.calls.map(({ id, name }) => [id, name] as const) : [],
    ),
  )
  for (const entry of entries) {
    if (entry.kind === 'tool_outcome')
      tally.add(entry.name, { isError: entry.status !== 'success', ms: entry.ms })
    else if (entry.kind === 'child_closed')
      tally.add(names.get(entry.call) ?? entry.agent ?? 'dispatch', {
        isError: entry.status !== 'success',
        usage: entry.usage,
        ms: entry.ms,
        cost: entry.cost,
      })
  }
  return tally
}

/** ms in which at least one question waited for a person. */
function waitedIn(entries: readonly SequencedEntry[]): number {
  const open = new Set<string>()
  let waited = 0
  let since = 0
  for (const entry of entries) {
    if (entry.kind === 'input_asked') {
      if (open.size === 0) since = entry.at
      open.add(entry.ask)
    } else if (entry.kind === 'run_ended' || entry.kind === 'input_answered') {
      const wasOpen = open.size > 0
      if (entry.kind === 'run_ended') open.clear()
      else open.delete(entry.ask)
      if (wasOpen && open.size === 0) waited += Math.max(0, entry.at - since)
    }
  }
  return waited
}
