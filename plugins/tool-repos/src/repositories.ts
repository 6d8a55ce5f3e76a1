import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  err,
  messageOf,
  ok,
  sha256,
  timeLimit,
  tryAsync,
  type Failure,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import { RepoUnavailable } from './errors.ts'
import type { Git, GitCall } from './git/git.ts'
import { INTERNAL_REFS } from './git/git-settings.ts'
import type { RepoSource } from './tokens.ts'

const README = `# Tools

Each folder is one tool. A branch is published from where it stands when it is published.
`

/** ms for creating a repository. */
const CREATE_MS = 60_000
const MESSAGE = 'Add the first page\n'

/** What a new repository begins with, as `git fast-import` reads it. */
const FIRST_COMMIT = `commit refs/heads/main
author amodal <amodal@localhost> 0 +0000
committer amodal <amodal@localhost> 0 +0000
data ${Buffer.byteLength(MESSAGE)}
${MESSAGE}
M 100644 inline README.md
data ${Buffer.byteLength(README)}
${README}
done
`

/**
 * The repositories: one for each tenant, and one, `main`, for the tools that all tenants may use.
 */
export class Repositories {
  readonly #folder: string
  readonly #git: Git
  readonly #creating = new Map<string, Promise<Result<void, Failure>>>()

  constructor(folder: string, git: Git) {
    this.#folder = folder
    this.#git = git
  }

  /** Where a repository is. No part of the path is spelled by a client. */
  folderOf({ tenant, repo }: RepoSource): string {
    return repo === 'main'
      ? join(this.#folder, 'main.git')
      : join(this.#folder, sha256(tenant), 'team.git')
  }

  /**
   * The ref of a protected tag. Those of `main` are apart for each tenant, and hidden, since
   * tenants share it.
   */
  protectedRef({ tenant, repo }: RepoSource, tag: string): string {
    return repo === 'main' ? `${INTERNAL_REFS}/${sha256(tenant)}/${tag}` : `refs/tags/${tag}`
  }

  /** How many repositories of tenants there are: of one tenant, or of all. */
  async count(tenant: TenantId | undefined): Promise<number> {
    if (tenant !== undefined) return (await exists(this.folderOf({ tenant, repo: 'team' }))) ? 1 : 0
    const names = await readdir(this.#folder).catch(() => [])
    return names.filter((name) => /^[0-9a-f]{64}$/.test(name)).length
  }

  /** Whether there is any repository. */
  async areThere(): Promise<boolean> {
    return (await readdir(this.#folder).catch(() => [])).length > 0
  }

  /** The folder of a repository, which is created by its first use. */
  async open(source: RepoSource): Promise<Result<string, Failure>> {
    const usable = await this.#git.version()
    if (!usable.ok) return usable
    const folder = this.folderOf(source)
    if (await exists(folder)) return ok(folder)
    let creating = this.#creating.get(folder)
    if (!creating) {
      creating = this.#create(folder).finally(() => this.#creating.delete(folder))
      this.#creating.set(folder, creating)
    }
    const created = await creating
    return created.ok ? ok(folder) : created
  }

  /** Built beside its place and moved there, so that no half of one is ever used. */
  async #create(folder: string): Promise<Result<void, Failure>> {
    // Others may wait for the same repository, so it does not end with the request that began it.
    const limit = timeLimit(CREATE_MS, 'creating the repository')
    const drafted = await tryAsync(async () => {
      await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
      return mkdtemp(join(dirname(folder), '.new-'))
    }, unwritable)
    if (!drafted.ok) return drafted
    const draft = drafted.value
    const calls: readonly GitCall[] = [
      {
        folder: draft,
        args: ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', draft],
      },
      {
        folder: draft,
        args: [`--git-dir=${draft}`, 'fast-import', '--quiet', '--done'],
        input: FIRST_COMMIT,
      },
    ]
    try {
      for (const call of calls) {
        const done = await this.#git.output(call, limit)
        if (!done.ok) return err(this.#git.unavailable('creating the repository', done.error))
      }
      const moved = await tryAsync(() => rename(draft, folder), unwritable)
      // Another process may have created it meanwhile.
      return moved.ok || (await exists(folder)) ? ok(undefined) : moved
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }
}

const exists = (folder: string): Promise<boolean> =>
  access(join(folder, 'HEAD')).then(
    () => true,
    () => false,
  )

const unwritable = (cause: unknown): Failure =>
  RepoUnavailable(`the folder of the repositories cannot be written: ${messageOf(cause)}`)
