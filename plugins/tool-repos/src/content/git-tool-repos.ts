import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  deadline,
  err,
  failure,
  messageOf,
  ok,
  tryAsync,
  type Failure,
  type Result,
} from '@amodal/sdk'
import {
  RepoBranchNotFound,
  RepoCommitNotFound,
  RepoContentRefused,
  RepoFolderNotFound,
  RepoTagTaken,
  RepoUnavailable,
} from '../errors.ts'
import type { Git, GitCall } from '../git/git.ts'
import type { Repositories } from '../repositories.ts'
import type { Slots } from '../slots.ts'
import type { RepoSource, ToolRepos } from '../tokens.ts'
import { isCommitId, isFolder, isRefName } from './names.ts'
import { ObjectReader } from './object-reader.ts'
import { readTree, type TreeFile, type TreeLimits } from './tree.ts'

export interface GitToolReposOptions {
  readonly git: Git
  readonly repositories: Repositories
  readonly processes: Slots
  readonly limits: TreeLimits & { readonly timeoutMs: number }
}

type Output = (args: readonly string[], input?: string) => ReturnType<Git['output']>

interface Opened {
  readonly folder: string
  readonly run: Output
}

/** Reads the repositories from their objects: no working tree, no filter, no hook. */
export class GitToolRepos implements ToolRepos {
  readonly #options: GitToolReposOptions

  constructor(options: GitToolReposOptions) {
    this.#options = options
  }

  head(source: RepoSource, branch: string, signal: AbortSignal): Promise<Result<string, Failure>> {
    const missing = err(RepoBranchNotFound(`there is no branch ${JSON.stringify(branch)}`))
    if (!isRefName(branch)) return Promise.resolve(missing)
    return this.#with(source, signal, async ({ run }) => {
      const args = ['rev-parse', '--verify', '--quiet', '--end-of-options']
      const parsed = await run([...args, `refs/heads/${branch}^{commit}`])
      if (parsed.ok) return ok(parsed.value.toString('utf8').trim())
      return parsed.error.code === 1 || parsed.error.code === 128
        ? missing
        : err(this.#options.git.unavailable('reading a branch', parsed.error))
    })
  }

  folders(
    source: RepoSource,
    commit: string,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>> {
    return this.#withCommit(source, commit, signal, async ({ run }) => {
      const listed = await run(['ls-tree', '-z', '--full-tree', commit])
      if (!listed.ok) return err(this.#options.git.unavailable('reading a commit', listed.error))
      const names = listed.value
        .toString('utf8')
        .split('\0')
        .filter((line) => line.startsWith('040000 tree '))
        .map((line) => line.slice(line.indexOf('\t') + 1))
      return ok(names.filter(isFolder))
    })
  }

  checkout(
    source: RepoSource,
    commit: string,
    folder: string,
    to: string,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>> {
    const missing = err(RepoFolderNotFound(`there is no folder ${JSON.stringify(folder)}`))
    return this.#withCommit(source, commit, signal, async (opened) => {
      if (!isFolder(folder)) return missing
      const type = await opened.run(['cat-file', '-t', `${commit}:${folder}`])
      if (!type.ok || type.value.toString('utf8').trim() !== 'tree') return missing
      const listed = await opened.run(['ls-tree', '-r', '-z', '-l', `${commit}:${folder}`])
      if (!listed.ok)
        return err(
          listed.error.code === null
            ? RepoContentRefused('the folder holds too many files')
            : this.#options.git.unavailable('reading a folder', listed.error),
        )
      const files = readTree(listed.value.toString('utf8'), this.#options.limits)
      if (!files.ok) return files
      const written = await this.#write(opened.folder, files.value, to, signal)
      return written.ok ? ok(files.value.map(({ path }) => path)) : written
    })
  }

  pin(
    source: RepoSource,
    commit: string,
    tag: string,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    if (!tag.startsWith('tools/') || !isRefName(tag))
      return Promise.resolve(
        err(
          failure('VALIDATION_ERROR', 'a protected tag begins with tools/ and is a name for git'),
        ),
      )
    const ref = this.#options.repositories.protectedRef(source, tag)
    return this.#withCommit(source, commit, signal, async ({ run }) => {
      const create = await run(['update-ref', '--stdin'], `create ${ref} ${commit}\n`)
      if (create.ok) return ok(undefined)
      const there = await run(['rev-parse', '--verify', '--quiet', '--end-of-options', ref])
      if (!there.ok) return err(this.#options.git.unavailable('creating a tag', create.error))
      return there.value.toString('utf8').trim() === commit
        ? ok(undefined)
        : err(RepoTagTaken(`the tag ${tag} names another commit`))
    })
  }

  async #withCommit<T>(
    source: RepoSource,
    commit: string,
    signal: AbortSignal,
    work: (opened: Opened) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    const missing = err(RepoCommitNotFound(`there is no commit ${JSON.stringify(commit)}`))
    if (!isCommitId(commit)) return missing
    return this.#with(source, signal, async (opened) => {
      const type = await opened.run(['cat-file', '-t', commit])
      return type.ok && type.value.toString('utf8').trim() === 'commit' ? work(opened) : missing
    })
  }

  /** One turn among the git processes of the tenant, however many commands it takes. */
  async #with<T>(
    source: RepoSource,
    signal: AbortSignal,
    work: (opened: Opened) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    const { git, repositories, processes } = this.#options
    const slot = await processes.acquire(source.tenant, signal)
    if (!slot.ok) return slot
    try {
      const opened = await repositories.open(source)
      if (!opened.ok) return opened
      const folder = opened.value
      const run: Output = (args, input) => {
        const call: GitCall = { folder, args: [`--git-dir=${folder}`, ...args] }
        return git.output(input === undefined ? call : { ...call, input }, signal)
      }
      return await work({ folder, run })
    } finally {
      slot.value()
    }
  }

  /** Writes files as the objects have them. What is there already is never replaced. */
  async #write(
    folder: string,
    files: readonly TreeFile[],
    to: string,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const { git, limits } = this.#options
    const created = await tryAsync(() => mkdir(to), unwritable)
    if (!created.ok) return created
    const limit = deadline(signal, limits.timeoutMs, 'git cat-file')
    const args = [`--git-dir=${folder}`, 'cat-file', '--batch']
    const reading = git.start({ folder, args }, limit.signal)
    const sent = once(reading.stdin, 'close').catch(() => undefined)
    reading.stdin.end(files.map(({ object }) => `${object}\n`).join(''))
    const objects = new ObjectReader(reading.stdout)
    const written = await tryAsync(async () => {
      for (const file of files) {
        const bytes = await objects.next(file.size)
        if (!bytes) throw new Error(`${file.path} cannot be read`)
        await mkdir(dirname(join(to, file.path)), { recursive: true })
        const mode = file.executable ? 0o755 : 0o644
        await writeFile(join(to, file.path), bytes, { flag: 'wx', mode })
      }
    }, unwritable)
    reading.stop()
    await Promise.all([reading.exited, sent])
    limit.clear()
    if (!written.ok) await rm(to, { recursive: true, force: true })
    return written
  }
}

const unwritable = (cause: unknown): Failure =>
  RepoUnavailable(`the folder cannot be written: ${messageOf(cause)}`)
