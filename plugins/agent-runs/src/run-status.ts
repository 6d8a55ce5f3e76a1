import {
  stateOf,
  truncateLine,
  type JsonObject,
  type PendingAsk,
  type SessionView,
  type SetAside,
} from '@amodal/sdk'
import type { RunStatus } from '@amodal/sdk/wire'
import { pauseTypeOf, shownContext, tokensOf, type RunProgress } from './run-progress.ts'
import type { RunRow } from './run-table.ts'

/** Characters of `result_summary`. */
const SUMMARY_CHARS = 2_000

/** A run with what its journal says. */
export interface RunView {
  readonly row: RunRow
  readonly progress: RunProgress
  /** `undefined`: its session is not there yet. */
  readonly session: Omit<SessionView, 'entries'> | undefined
}

/** Where a run stands. An end counts once it is written to its row, for everybody alike. */
export function statusOf({ row, progress, session }: RunView): RunStatus {
  if (row.status) return row.status
  if (row.attempt === 0 || !session) return 'queued'
  if (progress.endOf(row.attempt)) return row.retry_at ? 'queued' : 'running'
  return session.asks.length > 0 ? 'awaiting_input' : 'running'
}

/** Whether the profile of a run asks for a result. */
export const needsResult = ({ limits }: RunRow): boolean => limits['needsResult'] === true

/** A person has to decide how the session goes on: its run does not. */
export function setAsideOf({ session }: RunView): SetAside | undefined {
  const kept = session?.row.setAside
  return kept === undefined ? undefined : (JSON.parse(kept) as SetAside) // written by the loop
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null

/** A question that waits, as clients see it. */
export const pendingInput = (ask: PendingAsk): JsonObject => ({
  ask_id: ask.id,
  pending_input_type: pauseTypeOf(ask),
  pending_input_schema: ask.schema,
  pending_input_context: shownContext(ask.context, ask.call),
  ...(ask.expires_at !== undefined && { expires_at: new Date(ask.expires_at).toISOString() }),
})

/** A run in a list, and the beginning of each state frame. */
export const summaryOf = (view: RunView, artifact: string | undefined): JsonObject => {
  const { row } = view
  return {
    session_id: row.session,
    status: statusOf(view),
    profile_id: row.profile,
    created_at: iso(row.created_at),
    started_at: iso(row.started_at),
    completed_at: iso(row.ended_at),
    result_artifact_id: artifact ?? null,
  }
}

/**
 * The whole of a run as clients see it.
 *
 * @param artifact the last artifact that it made
 */
export function detailsOf(view: RunView, artifact: string | undefined): JsonObject {
  const { row, progress, session } = view
  const status = statusOf(view)
  const asks = session && status === 'awaiting_input' ? session.asks : []
  const [first] = asks
  return {
    ...summaryOf(view, artifact),
    task: row.task,
    started_by: row.principal,
    input_params: row.params,
    updated_at: session ? new Date(session.row.updatedAt).toISOString() : iso(row.created_at),
    turns_used: progress.turns,
    result_summary: status === 'complete' ? resultSummary(progress) : null,
    result: status === 'complete' ? (progress.result?.value ?? null) : null,
    ...(status === 'error' && { session_error: errorOf(view) }),
    ...(status === 'canceled' && row.cancel_reason !== null && { reason: row.cancel_reason }),
    ...(first && {
      pending_input: pendingInput(first),
      pending_inputs: asks.map(pendingInput),
    }),
    progress: {
      turnsCompleted: progress.turns,
      toolsUsed: [...progress.tools].map(([toolId, count]) => ({ toolId, count })),
      currentState: currentState(view, status),
      tokensUsed: { ...tokensOf(progress.usage) },
    },
  }
}

function resultSummary({ result, text }: RunProgress): string | null {
  const summary = result?.summary ?? text
  return summary === '' ? null : truncateLine(summary, SUMMARY_CHARS)
}

function errorOf(view: RunView): string {
  const aside = setAsideOf(view)
  if (aside) return aside.message
  const end = view.progress.endOf(view.row.attempt)
  if (end?.error) return end.error.message
  return end ? 'the run ended without the result that its profile asks for' : 'the run was given up'
}

function currentState({ session }: RunView, status: RunStatus): string {
  if (status !== 'running' || !session) return status
  const stored = stateOf(session.row)
  const kind = stored.kind === 'run' ? stored.state.kind : 'idle'
  return kind === 'executing' || kind === 'dispatching' ? 'tool_running' : kind
}
