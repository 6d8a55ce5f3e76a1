import type { AsyncResult, JsonObject, RunContext } from '@amodal/sdk'
import type { WorkspaceFiles } from '../gate/workspace-files.ts'

/** The workspace of one session on this instance. */
export interface Workspace {
  /** The gate: the only way in which the server reaches its files. */
  readonly files: WorkspaceFiles
  /** Absolute path on this machine. */
  readonly folder: string
  /**
   * Stores what has changed since the last snapshot; called after each call that may have changed
   * something, before its result is returned.
   *
   * @returns the session state to return with the result; `undefined` where nothing changed;
   *   `WORKSPACE_FULL` where it is too large: it is then as it was before
   */
  record(signal: AbortSignal): AsyncResult<JsonObject | undefined>
}

/**
 * Opens the workspace of a session: created from its source, or restored from the snapshot that the
 * session state names.
 */
export interface Workspaces {
  open(owner: WorkspaceOwner, signal: AbortSignal): AsyncResult<Workspace>
}

/** Whose workspace it is, and the run that uses it. */
export type WorkspaceOwner = Pick<
  RunContext,
  'tenant' | 'session' | 'principal' | 'run' | 'sessionState' | 'bundle'
>
