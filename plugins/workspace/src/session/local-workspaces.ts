import { randomUUID } from 'node:crypto'
import { lstat, mkdir, rename, rm } from 'node:fs/promises'
import {
  err,
  messageOf,
  ok,
  type AgentBundle,
  type AsyncResult,
  type JsonObject,
  type RunContext,
} from '@amodal/sdk'
import { WorkspaceFull, WorkspaceSourceMissing, WorkspaceStorageFailed } from '../errors.ts'
import { WorkspaceFiles } from '../gate/workspace-files.ts'
import { EMPTY, settingsOf, type WorkspaceQuota, type WorkspaceSettings } from '../settings.ts'
import { copySource } from './source-copy.ts'
import { walk } from './walk.ts'
import { workspaceFolder } from './workspace-folder.ts'
import type { Workspace, Workspaces } from './workspace.ts'

/** Only the server's user may read them. */
const FOLDER_MODE = 0o700

/** Workspaces on the disk of this instance. */
export class LocalWorkspaces implements Workspaces {
  readonly #folder: string
  /** Workspaces that are being created, by their folder. */
  readonly #creations = new Map<string, AsyncResult<void>>()

  /** @param folder absolute path, which is created with the first workspace */
  constructor(folder: string) {
    this.#folder = folder
  }

  async open(
    { tenant, session, bundle }: Pick<RunContext, 'tenant' | 'session' | 'sessionState' | 'bundle'>,
    signal: AbortSignal,
  ): AsyncResult<Workspace> {
    const settings = settingsOf(bundle)
    if (!settings) return err(WorkspaceSourceMissing('the agent declares no workspace'))
    const folder = workspaceFolder(this.#folder, tenant, session)
    const created = await this.#created(folder, settings, bundle, signal)
    if (!created.ok) return created
    const files = new WorkspaceFiles(folder)
    return ok({ files, folder, record: (stop) => checkQuota(files, settings.quota, stop) })
  }

  async #created(
    folder: string,
    settings: WorkspaceSettings,
    bundle: AgentBundle,
    signal: AbortSignal,
  ): AsyncResult<void> {
    const running = this.#creations.get(folder)
    if (running) return running
    const creation = create(folder, settings, bundle, signal)
    this.#creations.set(folder, creation)
    try {
      return await creation
    } finally {
      this.#creations.delete(folder)
    }
  }
}

/** The folder appears with all that is in it, or not at all. */
async function create(
  folder: string,
  settings: WorkspaceSettings,
  bundle: AgentBundle,
  signal: AbortSignal,
): AsyncResult<void> {
  if (await exists(folder)) return ok(undefined)
  const draft = `${folder}.${randomUUID()}`
  try {
    await mkdir(draft, { recursive: true, mode: FOLDER_MODE })
    const filled = await fill(draft, settings, bundle, signal)
    if (!filled.ok) return filled
    await rename(draft, folder)
    return ok(undefined)
  } catch (cause) {
    // Another process may have created it meanwhile.
    if (await exists(folder)) return ok(undefined)
    return err(WorkspaceStorageFailed(`cannot create ${folder}: ${messageOf(cause)}`, { cause }))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function fill(
  folder: string,
  { source, quota }: WorkspaceSettings,
  { root }: AgentBundle,
  signal: AbortSignal,
): AsyncResult<void> {
  if (source === EMPTY) return ok(undefined)
  if (root === undefined)
    return err(WorkspaceSourceMissing(`the agent has no folder with ${JSON.stringify(source)}`))
  return copySource(new WorkspaceFiles(root), source, new WorkspaceFiles(folder), quota, signal)
}

async function checkQuota(
  files: WorkspaceFiles,
  quota: WorkspaceQuota,
  signal: AbortSignal,
): AsyncResult<JsonObject | undefined> {
  let bytes = 0
  let count = 0
  for await (const { size, kind } of walk(files, '.', { most: quota.files + 1, signal })) {
    count += 1
    if (kind === 'file') bytes += size
  }
  if (count > quota.files)
    return err(WorkspaceFull(`the workspace has more than the ${quota.files} files allowed`))
  if (bytes > quota.bytes)
    return err(
      WorkspaceFull(`the workspace has ${bytes} bytes, more than the ${quota.bytes} allowed`),
    )
  return ok(undefined)
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
