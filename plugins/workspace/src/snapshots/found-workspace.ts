import {
  err,
  failure,
  isId,
  ok,
  sessionId,
  type Agent,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
  type SessionId,
} from '@amodal/sdk'
import type { Manifest } from './manifest.ts'
import type { SnapshotInfo, SnapshotStore } from './snapshot-store.ts'
import type { SnapshottedWorkspaces } from './snapshotted-workspaces.ts'

/** Snapshots of a session that are listed. */
const MOST_LISTED = 200

/** The workspace of a session that its caller may see. */
export interface FoundWorkspace {
  readonly caller: Caller
  readonly session: SessionId
  readonly store: SnapshotStore
  /** The newest first. */
  readonly snapshots: readonly SnapshotInfo[]
}

type Outcome<T> = Promise<Result<T, Failure>>

/** @returns `SESSION_NOT_FOUND` also where the caller may not see the session */
export async function foundWorkspace(
  context: RouteContext,
  id: string,
  agent: Agent,
  workspaces: SnapshottedWorkspaces,
): Outcome<FoundWorkspace> {
  const caller = context.caller()
  if (!caller.ok) return caller
  if (!isId(id)) return err(failure('SESSION_NOT_FOUND', 'no id'))
  const session = sessionId(id)
  const seen = await agent
    .as(caller.value)
    .session(session, context.signal, Number.MAX_SAFE_INTEGER)
  if (!seen.ok) return seen
  const store = workspaces.store(caller.value.tenant)
  const snapshots = await store.list(session, MOST_LISTED, context.signal)
  return snapshots.ok
    ? ok({ caller: caller.value, session, store, snapshots: snapshots.value })
    : snapshots
}

export async function manifestOf(
  store: SnapshotStore,
  id: string,
  signal: AbortSignal,
): Outcome<Manifest> {
  const snapshot = await store.find(id, signal)
  return snapshot.ok ? ok(snapshot.value.manifest) : snapshot
}
