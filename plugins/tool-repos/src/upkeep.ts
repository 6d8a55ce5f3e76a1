import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Logger } from '@amodal/sdk'
import type { Git } from './git/git.ts'

export interface UpkeepOptions {
  readonly git: Git
  /** Packs after which a repository is repacked. */
  readonly packs: number
  /** ms that a git process may take. What is older belongs to none that runs. */
  readonly timeoutMs: number
  readonly log: Logger
}

/** ms beyond the time of a git process before its temporary files count as abandoned. */
const MARGIN_MS = 60_000
const TEMPORARY = /^(?:tmp_|incoming-|\.tmp-)|\.lock$/
/** Repositories that were being created. */
const DRAFT = /^\.new-/

/** Bytes of all files in a folder. Files that are removed meanwhile count as nothing. */
export async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await filesIn(folder)).map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Repacks repositories and removes what killed processes left behind. */
export class Upkeep {
  readonly #options: UpkeepOptions

  constructor(options: UpkeepOptions) {
    this.#options = options
  }

  /**
   * Before a push: what a killed process left behind would count as a part of the repository, and
   * its locks would refuse the push.
   */
  async before(folder: string): Promise<void> {
    const parent = dirname(folder)
    const drafts = (await namesIn(parent)).filter((name) => DRAFT.test(name))
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    await this.#sweep([
      ...drafts.map((name) => join(parent, name)),
      ...names.filter((name) => TEMPORARY.test(basename(name))).map((name) => join(folder, name)),
    ])
  }

  /** After a push, while no other push of this server is in progress. */
  async after(folder: string, signal: AbortSignal): Promise<void> {
    await this.before(folder)
    const packs = (await namesIn(join(folder, 'objects', 'pack'))).filter((name) =>
      name.endsWith('.pack'),
    )
    if (packs.length < this.#options.packs) return
    // A commit may be published for a while after the branch has moved on.
    const args = [`--git-dir=${folder}`, 'gc', '--quiet', '--cruft', '--prune=1.day.ago']
    const done = await this.#options.git.output({ folder, args }, signal)
    if (!done.ok) this.#options.log.warn('tool_repos.gc_failed', { ...done.error })
  }

  /** Removes what is older than any git process can be, also one of another server. */
  async #sweep(paths: readonly string[]): Promise<void> {
    const { timeoutMs } = this.#options
    const before = Date.now() - timeoutMs - MARGIN_MS
    for (const path of paths) {
      const found = await stat(path).catch(() => undefined)
      if (found && found.mtimeMs < before)
        await rm(path, { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
