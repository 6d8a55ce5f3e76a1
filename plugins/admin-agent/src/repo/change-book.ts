import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  err,
  messageOf,
  ok,
  tryAsync,
  trySync,
  type BundleIssue,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { errorsIn, issueLine } from '@amodal/sdk/files'
import {
  appliedFile,
  applyChange,
  CHANGES,
  copyFolder,
  newChangeId,
  textAt,
  type AppliedChange,
  type FileChange,
  type FolderCheck,
} from '@amodal/plugin-repo-files/tokens'
import { ChangeBroken, ChangeConflict, ChangeNotFound } from '../errors.ts'
import { Proposal, sessionsWithProposals } from './proposal.ts'
import { Repo } from './repo.ts'
import { carriesRights } from './repo-path.ts'

/** Problems that an error names. */
const MOST_NAMED = 10

export interface BookParts {
  /** The agent folder; asked when there is something to do. */
  readonly root: () => string
  readonly check: FolderCheck
  readonly now: () => number
}

/** Who accepts, and what of it. */
export interface Acceptance {
  readonly principal: string
  /** Left out: all files but those that carry rights, which are accepted by their names alone. */
  readonly files?: readonly string[]
}

/** What came of an acceptance. */
export interface Accepted {
  readonly change: AppliedChange
  /** Files that still wait for a person. */
  readonly pending: readonly string[]
}

/** Changes of an agent folder: what is proposed, what was accepted, and how it is undone. */
export class ChangeBook {
  readonly #parts: BookParts
  #repo: Repo | undefined
  readonly #proposals = new Map<string, Proposal>()
  /** One after the other: what one checks the next one must not change. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: BookParts) {
    this.#parts = parts
  }

  get repo(): Repo {
    this.#repo ??= new Repo(this.#parts.root())
    return this.#repo
  }

  proposal(session: string): Proposal {
    const known = this.#proposals.get(session) ?? new Proposal(this.repo, session)
    this.#proposals.set(session, known)
    return known
  }

  /** Those that propose something. */
  async proposals(): Promise<readonly Proposal[]> {
    const sessions = await sessionsWithProposals(this.repo.root)
    return sessions.map((one) => this.proposal(one)).filter(({ files }) => files.length > 0)
  }

  /** Writes proposed files: all of the chosen ones, or none. */
  accept(
    session: string,
    { files: names, principal }: Acceptance,
    signal: AbortSignal,
  ): Promise<Result<Accepted, Failure>> {
    return this.inTurn(async () => {
      const proposal = this.proposal(session)
      const unknown = names?.find((name) => !proposal.files.some(({ path }) => path === name))
      if (unknown !== undefined)
        return err(ChangeNotFound(`${session} proposes no change of ${unknown}`))
      const chosen = proposal.files.filter(({ path }) =>
        names ? names.includes(path) : !carriesRights(path),
      )
      const pending = proposal.files.flatMap(({ path }) =>
        chosen.some((one) => one.path === path) ? [] : [path],
      )
      const settled = await this.#settled(chosen)
      proposal.drop(settled)
      if (chosen.length === 0)
        return err(
          ChangeNotFound(
            pending.length === 0
              ? `${session} proposes nothing`
              : `these files decide what may be done, and are accepted by their names: ${pending.join(', ')}`,
          ),
        )
      const files = chosen.filter(({ path }) => !settled.includes(path))
      const applied = await this.#apply({ session, principal, files }, signal)
      if (!applied.ok) return applied
      proposal.drop(chosen.map(({ path }) => path))
      return ok({ change: applied.value, pending })
    })
  }

  discard(session: string, files?: readonly string[]): Promise<void> {
    return this.inTurn(() => {
      const proposal = this.proposal(session)
      proposal.drop(files ?? proposal.files.map(({ path }) => path))
      return Promise.resolve()
    })
  }

  /** What a person writes or removes themselves. */
  write(
    change: { readonly principal: string; readonly files: readonly FileChange[] },
    signal: AbortSignal,
  ): Promise<Result<AppliedChange, Failure>> {
    return this.inTurn(() => this.#apply({ session: '', ...change }, signal))
  }

  /** The newest first. */
  async applied(): Promise<readonly AppliedChange[]> {
    const folder = dirname(appliedFile(this.repo.root, ''))
    const names = (await readdir(folder).catch(() => [])).sort().reverse()
    return names.flatMap((name) => this.#read(name.replace(/\.json$/, '')) ?? [])
  }

  /** Writes back what was there before a change. */
  undo(
    id: string,
    principal: string,
    signal: AbortSignal,
  ): Promise<Result<AppliedChange, Failure>> {
    return this.inTurn(async () => {
      const change = /^[\w-]+$/.test(id) ? this.#read(id) : undefined
      if (!change) return err(ChangeNotFound(`there is no change ${id}`))
      const files = change.files.map(({ after, before, path }) => ({
        path,
        before: after,
        after: before,
      }))
      const { session } = change
      return this.#apply({ session, principal, files, undoes: id }, signal)
    })
  }

  /** What waits for what came before it. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  #read(id: string): AppliedChange | undefined {
    const text = textAt(appliedFile(this.repo.root, id))
    const read = trySync(
      () => JSON.parse(text ?? '') as AppliedChange, // written by `applyChange`
      () => undefined,
    )
    return read.ok ? read.value : undefined
  }

  async #apply(
    change: Omit<AppliedChange, 'id' | 'at'>,
    signal: AbortSignal,
  ): Promise<Result<AppliedChange, Failure>> {
    const conflict = await this.#conflict(change.files)
    if (conflict) return err(conflict)
    const broken = await this.#broken(change.files, signal)
    if (broken) return err(broken)
    const at = this.#parts.now()
    const id = newChangeId(at)
    const complete = { id, at, ...change }
    // The folder may have been edited while it was checked.
    const late = await this.#conflict(change.files)
    if (late) return err(late)
    const written = trySync(() => applyChange(this.repo.root, complete), messageOf)
    if (!written.ok) return err(ChangeConflict(`nothing was written: ${written.error}`))
    return ok(complete)
  }

  /** Files that are as proposed already: a process was killed behind their acceptance. */
  async #settled(files: readonly FileChange[]): Promise<readonly string[]> {
    const settled: string[] = []
    for (const { after, path } of files) {
      const place = await this.repo.place(path)
      const disk = await this.repo.read(path)
      const isSame =
        after === null
          ? place.ok && place.value === 'nothing'
          : disk.ok && disk.value.text === after
      if (isSame) settled.push(path)
    }
    return settled
  }

  /** Files that are not what the change began with. */
  async #conflict(files: readonly FileChange[]): Promise<Failure | undefined> {
    const changed: string[] = []
    for (const { before, path } of files) {
      const place = await this.repo.place(path)
      if (!place.ok) return place.error
      const disk = place.value === 'nothing' ? null : await this.repo.read(path)
      if (disk && !disk.ok) return disk.error
      if ((disk ? disk.value.text : null) !== before) changed.push(path)
    }
    return changed.length === 0
      ? undefined
      : ChangeConflict(`changed on the disk meanwhile: ${changed.join(', ')}`)
  }

  /** The errors that the folder would have with the change, and has not without it. */
  async #broken(files: readonly FileChange[], signal: AbortSignal): Promise<Failure | undefined> {
    const { check } = this.#parts
    const { root } = this.repo
    const staged = join(root, CHANGES, 'staged', randomBytes(6).toString('hex'))
    const read = await tryAsync(async () => {
      await copyFolder(root, staged, signal)
      for (const { after, path } of files) await stage(join(staged, path), after)
      return errorsIn(await check.check(staged, signal))
    }, messageOf)
    await rm(staged, { recursive: true, force: true })
    if (!read.ok) return ChangeBroken(`it could not be checked: ${read.error}`)
    const before = new Set(errorsIn(await check.check(root, signal)).map(issueKey))
    const fresh = read.value.filter((issue) => !before.has(issueKey(issue)))
    return fresh.length === 0
      ? undefined
      : ChangeBroken(fresh.slice(0, MOST_NAMED).map(issueLine).join('; '))
  }
}

const issueKey = ({ code, file, message }: BundleIssue): string =>
  JSON.stringify([code, file, message])

async function stage(file: string, text: string | null): Promise<void> {
  if (text === null) return rm(file, { force: true })
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
