import type { Commit, CommitVerdict } from '@amodal/sdk'
import { monotonicMs, acknowledge, type StoredSession } from './stored-session.ts'

/** Writes a commit whose base and fencing token have been checked. */
export function applyCommit(stored: StoredSession, commit: Commit): void {
  const { key, state, acknowledged, end, due = Infinity, leaseMs, progress } = commit
  if (progress) Object.assign(stored, { crashes: 0, trial: false })
  appendEntries(stored, commit)
  stored.lastKey = key
  stored.state = state
  stored.messages -= acknowledge(stored, acknowledged.messages)
  stored.controls -= acknowledge(stored, acknowledged.controls)
  if (end !== 'hold') stored.parked = end === 'park'
  stored.due = end === 'park' ? due : Infinity
  const keepsOwner = end === 'hold' || stored.controls > 0 || (end === 'end' && stored.messages > 0)
  stored.owner = keepsOwner ? stored.owner : undefined
  stored.leaseUntil = monotonicMs() + leaseMs
  addTotals(stored, commit)
}

function appendEntries(stored: StoredSession, { entries, erase }: Commit): void {
  stored.entries.push(
    ...entries.map(({ body, sealed }, at) => ({
      seq: stored.head + at + 1,
      body,
      ...(sealed !== undefined && { sealed }),
    })),
  )
  for (const seq of erase) {
    const at = seq - (stored.forkedAt ?? 0) - 1
    const entry = stored.entries[at]
    if (entry) stored.entries[at] = { seq, body: entry.body }
  }
  stored.head += entries.length
}

function addTotals(stored: StoredSession, { add, model, provider, ended }: Commit): void {
  stored.unknownEffects = Math.max(0, stored.unknownEffects + (add.unknown ?? 0))
  stored.messageCount += add.messages
  stored.inputTokens += add.input
  stored.outputTokens += add.output
  if (add.cost !== undefined) stored.cost = (stored.cost ?? 0) + add.cost
  stored.model = model ?? stored.model
  stored.provider = provider ?? stored.provider
  stored.lastEnd = ended ?? stored.lastEnd
}

export const verdictOf = (
  { fencingToken, owner, messages, controls }: StoredSession,
  commit: Commit,
): CommitVerdict => ({
  verdict: 'ok',
  stillOwned: fencingToken === commit.fencingToken,
  released: owner === undefined,
  messages,
  controls,
})
