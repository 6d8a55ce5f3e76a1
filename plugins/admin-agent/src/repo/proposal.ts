import { rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  err,
  isObject,
  ok,
  sha256,
  trySync,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { EditRefused, FileNotFound } from '../errors.ts'
import { CHANGES, textAt, writeWhole, type FileChange } from '@amodal/plugin-repo-files/tokens'
import type { Repo, RepoFile } from './repo.ts'

/** Files of one proposal, and characters of one file. */
const MOST_FILES = 200
const MOST_CHARS = 1_000_000
/** Calls that are known when they are made again. */
const MOST_RESULTS = 100

/** What a session proposes to change, as it is stored. */
interface Stored {
  readonly files: readonly FileChange[]
  /** Hashes of texts that the session has read, by path: nothing else may be edited. */
  readonly read: Readonly<Record<string, string>>
  /** What calls gave, by their keys, the newest last: one that is made again changes nothing. */
  readonly results: readonly (readonly [key: string, result: JsonObject])[]
}

/**
 * The changes that one session of the admin agent proposes. Nothing of the agent folder changes
 * until a person accepts them; the session itself reads its files as if they were written.
 */
export class Proposal {
  readonly session: string
  readonly #repo: Repo
  #stored: Stored

  constructor(repo: Repo, session: string) {
    this.#repo = repo
    this.session = session
    this.#stored = readStored(textAt(join(repo.root, fileOf(session))))
  }

  /** In order of their paths. */
  get files(): readonly FileChange[] {
    return this.#stored.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** The paths that the session sees: what it has added and removed counts. */
  async list(): Promise<readonly string[]> {
    const paths = new Set(await this.#repo.list())
    for (const { after, path } of this.#stored.files)
      if (after === null) paths.delete(path)
      else paths.add(path)
    return [...paths].sort()
  }

  /** A file as the session has it; it may be edited then. */
  async read(path: string): Promise<Result<RepoFile, Failure>> {
    const file = await this.look(path)
    if (file.ok) this.#store({ read: { ...this.#stored.read, [path]: file.value.hash } })
    return file
  }

  /** A file as the session has it, for a search. */
  async look(path: string): Promise<Result<RepoFile, Failure>> {
    const own = this.#stored.files.find((one) => one.path === path)
    if (!own) return this.#repo.read(path)
    if (own.after === null) return err(FileNotFound(`${path} is removed by this change`))
    return ok({ path, text: own.after, hash: sha256(own.after) })
  }

  /** Writes a whole file; one that is there has to be read before. */
  async write(
    path: string,
    text: string,
  ): Promise<Result<{ readonly before: string | null }, Failure>> {
    if (text.length > MOST_CHARS)
      return err(EditRefused(`${path}: a file has at most ${MOST_CHARS} characters`))
    if (text.includes('\0')) return err(EditRefused(`${path}: a text file has no NUL character`))
    const current = await this.#current(path)
    if (!current.ok) return current
    const unread = current.value && this.#unread(current.value)
    if (unread) return err(unread)
    const changed = await this.#change(path, text)
    return changed.ok ? ok({ before: current.value?.text ?? null }) : changed
  }

  async remove(path: string): Promise<Result<void, Failure>> {
    const current = await this.#current(path)
    if (!current.ok) return current
    if (!current.value) return err(FileNotFound(`there is no file ${path}`))
    const unread = this.#unread(current.value)
    return unread ? err(unread) : this.#change(path, null)
  }

  /** What a call with this key gave before. */
  resultOf(key: string): JsonObject | undefined {
    return this.#stored.results.find(([known]) => known === key)?.[1]
  }

  storeResult(key: string, result: JsonObject): void {
    this.#store({ results: [...this.#stored.results.slice(-MOST_RESULTS), [key, result]] })
  }

  /** Forgets changes: they are accepted, or nobody wants them. */
  drop(paths: readonly string[]): void {
    this.#store({ files: this.#stored.files.filter(({ path }) => !paths.includes(path)) })
  }

  /** `undefined` where nothing is at the path. */
  async #current(path: string): Promise<Result<RepoFile | undefined, Failure>> {
    const own = this.#stored.files.find((one) => one.path === path)
    if (own) return own.after === null ? ok(undefined) : this.look(path)
    const place = await this.#repo.place(path)
    if (!place.ok) return place
    if (place.value === 'folder') return err(EditRefused(`${path} is a folder`))
    return place.value === 'nothing' ? ok(undefined) : this.#repo.read(path)
  }

  #unread({ hash, path }: RepoFile): Failure | undefined {
    const known = this.#stored.read[path]
    if (known === hash) return undefined
    return EditRefused(
      known === undefined
        ? `${path} was not read: read it before you change it`
        : `${path} has changed since you read it: read it again`,
    )
  }

  async #change(path: string, after: string | null): Promise<Result<void, Failure>> {
    const own = this.#stored.files.find((one) => one.path === path)
    const disk = own ? undefined : await this.#repo.read(path)
    const before = own ? own.before : ((disk?.ok ? disk.value.text : undefined) ?? null)
    const others = this.#stored.files.filter((one) => one.path !== path)
    if (others.length >= MOST_FILES)
      return err(
        EditRefused(`a change has at most ${MOST_FILES} files: have this one accepted first`),
      )
    this.#store({
      files: before === after ? others : [...others, { path, before, after }],
      // What the session has written it knows.
      read: { ...this.#stored.read, ...(after !== null && { [path]: sha256(after) }) },
    })
    return ok(undefined)
  }

  #store(changes: Partial<Stored>): void {
    const stored = { ...this.#stored, ...changes }
    writeWhole(this.#repo.root, fileOf(this.session), JSON.stringify(stored))
    this.#stored = stored
  }
}

const OPEN = `${CHANGES}/open`
const fileOf = (session: string): string => `${OPEN}/${session}.json`

/** The sessions that have a proposal, or had one. */
export async function sessionsWithProposals(root: string): Promise<readonly string[]> {
  const names = await readdir(join(root, OPEN)).catch(() => [])
  return names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
}

/** A session that is gone proposes nothing. */
export function forgetProposal(root: string, session: string): void {
  rmSync(join(root, fileOf(session)), { force: true })
}

function readStored(text: string | undefined): Stored {
  const read = trySync(
    () => JSON.parse(text ?? '{}') as Json,
    () => undefined,
  )
  // Written by this class alone; a file that is damaged proposes nothing.
  const stored: Partial<Stored> = read.ok && isObject(read.value) ? read.value : {}
  const { files = [], read: hashes = {}, results = [] } = stored
  return { files, read: hashes, results }
}
