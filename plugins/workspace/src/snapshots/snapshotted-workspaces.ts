import {
  ok,
  timeLimit,
  type AsyncResult,
  type Database,
  type RunContext,
  type SessionId,
  type TenantId,
} from '@amodal/sdk'
import { tenantDatabase } from '@amodal/sdk/database'
import { workspaceFolder } from '../session/workspace-folder.ts'
import type { Workspace, WorkspaceOwner, Workspaces } from '../session/workspace.ts'
import { SessionFolder, type Origin } from './session-folder.ts'
import { SnapshotStore } from './snapshot-store.ts'

export interface SnapshottedOptions {
  readonly database: Database
  /** Where the folders of sessions are. */
  readonly root: string
  /** Snapshots of one session that are stored. */
  readonly keep: number
  readonly originOf: (bundle: RunContext['bundle']) => Origin
}

const REMOVE_MS = 10_000

/** Workspaces whose state after each call is in the database, so that any instance restores it. */
export class SnapshottedWorkspaces implements Workspaces {
  readonly #options: SnapshottedOptions
  readonly #folders = new Map<string, SessionFolder>()

  constructor(options: SnapshottedOptions) {
    this.#options = options
  }

  async open(owner: WorkspaceOwner, signal: AbortSignal): AsyncResult<Workspace> {
    const folder = this.#folder(owner.tenant, owner.session)
    const origin = this.#options.originOf(owner.bundle)
    const opened = await folder.open(owner, origin, signal)
    if (!opened.ok) return opened
    return ok({
      files: folder.files,
      folder: folder.folder,
      record: (recording) => folder.record(owner, origin, recording),
    })
  }

  store(tenant: TenantId): SnapshotStore {
    const { database, keep } = this.#options
    return new SnapshotStore(tenantDatabase(database, tenant), keep)
  }

  /** The session is not in use here; it is restored when it is needed. */
  async release(tenant: TenantId, session: SessionId): Promise<void> {
    const folder = this.#folder(tenant, session)
    this.#folders.delete(keyOf(tenant, session))
    await folder.remove()
  }

  /** The session was removed. */
  async remove(tenant: TenantId, session: SessionId): AsyncResult<void> {
    await this.release(tenant, session)
    return this.store(tenant).removeSession(
      session,
      timeLimit(REMOVE_MS, 'removing the snapshots of a session'),
    )
  }

  #folder(tenant: TenantId, session: SessionId): SessionFolder {
    const key = keyOf(tenant, session)
    const known = this.#folders.get(key)
    if (known) return known
    const path = workspaceFolder(this.#options.root, tenant, session)
    const folder = new SessionFolder(path, this.store(tenant))
    this.#folders.set(key, folder)
    return folder
  }
}

const keyOf = (tenant: TenantId, session: SessionId): string => JSON.stringify([tenant, session])
