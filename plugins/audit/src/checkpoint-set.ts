import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { err, failure, type Failure, messageOf, ok, type Result, sha256, sleep } from '@amodal/sdk'
import { CHECKPOINTS, FIRST, readCheckpoint, type Checkpoint } from './checkpoint.ts'
import { textLines } from './line-file.ts'
import { readSigners } from './signer.ts'

/** ms that a copy may be behind, and between two looks at it. */
const LAG_MS = 2_000
const LOOK_MS = 200

/** Where checkpoints are looked for. */
export interface CheckpointPlaces {
  /** The folder that the agent keeps them in. */
  readonly own: string | undefined
  /** The folder that it copies them to. */
  readonly copies: string | undefined
  /** Folders and files kept elsewhere. */
  readonly given: readonly string[]
  /** A public key that is trusted in addition to the listed ones. */
  readonly key: string | undefined
}

/** A signed position in a chain. */
export interface Signed {
  readonly n: number
  readonly hash: string
  readonly at: string
  readonly isChained: boolean
}

/** All checkpoints there are, and what is wrong with them. */
export interface CheckpointSet {
  readonly count: number
  /** Of each tenant, by the line. */
  readonly signed: ReadonlyMap<string, ReadonlyMap<number, readonly Signed[]>>
  /** The newest checkpoint of each writer. */
  readonly writers: ReadonlyMap<string, number>
  readonly signers: ReadonlySet<string>
  readonly problems: readonly string[]
  readonly notes: readonly string[]
  /** The agent's own folder holds none. */
  readonly isAbsent: boolean
}

interface ReadFile {
  readonly file: string
  readonly lines: readonly { readonly checkpoint: Checkpoint; readonly digest: string }[]
  readonly problems: readonly string[]
}

/**
 * Reads all there are; a copy that a server is making now is waited for. An `Err` is what the file
 * system says of a file that is there.
 */
export async function readCheckpoints(
  places: CheckpointPlaces,
  now: () => number,
  signal: AbortSignal,
): Promise<Result<CheckpointSet, Failure>> {
  const until = now() + LAG_MS
  try {
    for (;;) {
      const set = await readAll(places)
      if (!set.isBehind || now() >= until || !(now() - set.newest < LAG_MS)) return ok(set)
      await sleep(LOOK_MS, signal)
    }
  } catch (cause) {
    return err(
      failure('UNREADABLE', `checkpoints of the audit log cannot be read: ${messageOf(cause)}`),
    )
  }
}

async function readAll({
  own,
  copies,
  given,
  key,
}: CheckpointPlaces): Promise<
  CheckpointSet & { readonly isBehind: boolean; readonly newest: number }
> {
  const elsewhere = given.map((path) => resolve(path))
  const live = copies !== undefined && existsSync(copies) ? copies : undefined
  const { signers, problems, notes } = await believed({ own, live, elsewhere, key })
  const read = (file: string): Promise<ReadFile> => readFile(file, signers)
  const mine = own === undefined ? undefined : await read(join(own, CHECKPOINTS))
  const copied = live === undefined ? [] : await Promise.all((await filesIn(live)).map(read))
  const others = await Promise.all((await Promise.all(elsewhere.map(filesIn))).flat().map(read))
  for (const path of [...elsewhere, ...(copies === undefined ? [] : [copies])])
    if (!existsSync(path))
      problems.push(
        `${path} does not exist: the copy of the checkpoints is gone, or was never made`,
      )
  const all = [...(mine ? [mine] : []), ...copied, ...others]
  for (const file of all) problems.push(...file.problems)
  const behind: string[] = []
  if (mine) {
    const ofMine = (one: ReadFile): boolean => writerOf(one) === writerOf(mine)
    for (const copy of copied.filter(ofMine)) problems.push(...difference(mine, copy, behind))
    for (const copy of others.filter(ofMine)) problems.push(...difference(mine, copy, notes))
    if (live !== undefined && mine.lines.length > 0 && !copied.some(ofMine))
      behind.push(`${live} has no copy of ${mine.file}`)
  }
  problems.push(...behind)
  const newest = Date.parse(mine?.lines.at(-1)?.checkpoint.at ?? '')
  return {
    ...joined(all),
    signers,
    problems,
    notes,
    isAbsent: mine === undefined || mine.lines.length === 0,
    isBehind: behind.length > 0,
    newest,
  }
}

/**
 * The trusted keys: those listed in a place that write access to the agent's folder does not reach,
 * if there is such a place.
 */
async function believed({
  own,
  live,
  elsewhere,
  key,
}: Pick<CheckpointPlaces, 'own' | 'key'> & {
  readonly live: string | undefined
  readonly elsewhere: readonly string[]
}) {
  const problems: string[] = []
  const notes: string[] = []
  const choices = [
    await foldersOf(elsewhere),
    live === undefined ? [] : [live],
    own === undefined ? [] : [own],
  ].filter((folders) => folders.length > 0)
  const listed = choices.map((folders) => ({
    folders,
    keys: folders.flatMap((folder) => [...readSigners(folder)]),
  }))
  const chosen = listed.find(({ keys }) => keys.length > 0)
  if (!chosen && key === undefined && listed.length > 0)
    problems.push(
      `there is no list of signers in ${listed.flatMap(({ folders }) => folders).join(', ')}: no checkpoint can be trusted`,
    )
  if (chosen && chosen !== listed[0])
    notes.push(
      `there is no list of signers in ${listed[0]?.folders.join(', ') ?? ''}: the one in ${chosen.folders.join(', ')} is trusted`,
    )
  return {
    signers: new Set([...(chosen?.keys ?? []), ...(key === undefined ? [] : [key])]),
    problems,
    notes,
  }
}

function joined(files: readonly ReadFile[]): Pick<CheckpointSet, 'signed' | 'writers' | 'count'> {
  const signed = new Map<string, Map<number, Signed[]>>()
  const writers = new Map<string, number>()
  const seen = new Set<string>()
  for (const {
    checkpoint: { heads, at, link },
    digest,
  } of files.flatMap(({ lines }) => lines)) {
    if (seen.has(digest)) continue
    seen.add(digest)
    if (link) writers.set(link.writer, Math.max(link.seq, writers.get(link.writer) ?? 0))
    for (const [tenant, n, hash] of heads) {
      const own = signed.get(tenant) ?? new Map<number, Signed[]>()
      own.set(n, [...(own.get(n) ?? []), { n, hash, at, isChained: link !== undefined }])
      signed.set(tenant, own)
    }
  }
  return { signed, writers, count: seen.size }
}

async function readFile(file: string, signers: ReadonlySet<string>): Promise<ReadFile> {
  const problems: string[] = []
  const lines: { readonly checkpoint: Checkpoint; readonly digest: string }[] = []
  let previous = FIRST
  let seq = 0
  let writer: string | undefined
  let last:
    | { readonly seq: number; readonly key: string; readonly isSigned: () => boolean }
    | undefined
  const checkLast = (): void => {
    if (last && !signers.has(last.key))
      problems.push(
        `checkpoint ${last.seq} of ${file} is signed by a key that is not known: ${last.key}`,
      )
    else if (last && !last.isSigned())
      problems.push(`checkpoint ${last.seq} of ${file} is not signed by whoever it names`)
  }
  for await (const { text, whole } of textLines(file)) {
    const next = seq + 1
    const read = readCheckpoint(text)
    if (!read || !whole)
      problems.push(`checkpoint ${next} of ${file} cannot be read: it was changed or cut`)
    seq = read?.checkpoint.link?.seq ?? next
    if (read) {
      const { checkpoint, isSigned } = read
      const { link, key } = checkpoint
      // The hash in a line vouches for the one before: one signature is enough for all that follow
      // each other.
      if (!link || last?.key !== key) checkLast()
      if (link) {
        if (link.seq !== next)
          problems.push(
            `${link.seq > next + 1 ? `checkpoints ${next} to ${link.seq - 1} are` : `checkpoint ${next} is`} missing in ${file}, or not in its place`,
          )
        else if (link.previous !== previous)
          problems.push(
            `checkpoint ${next} of ${file} does not follow the one before it: one of the two was changed`,
          )
        if (writer !== undefined && link.writer !== writer)
          problems.push(`checkpoint ${next} of ${file} is of another folder (${link.writer})`)
        writer ??= link.writer
      }
      last = { seq, key, isSigned }
      lines.push({ checkpoint, digest: sha256(text) })
    }
    previous = sha256(text)
  }
  checkLast()
  return { file, lines, problems }
}

/**
 * A copy is the same, as far as both go.
 * @param behind where it is said that a copy ends earlier
 */
function difference(own: ReadFile, copy: ReadFile, behind: string[]): readonly string[] {
  const at = copy.lines.findIndex(
    ({ digest }, index) => index < own.lines.length && own.lines[index]?.digest !== digest,
  )
  if (at >= 0) return [`checkpoint ${at + 1} of ${own.file} is not the one in ${copy.file}`]
  if (copy.lines.length > own.lines.length)
    return [
      `${own.file} ends at checkpoint ${own.lines.length}, and ${copy.file} at ${copy.lines.length}: it was cut`,
    ]
  if (copy.lines.length < own.lines.length)
    behind.push(
      `${copy.file} ends at checkpoint ${copy.lines.length}, and ${own.file} at ${own.lines.length}: the copy is older`,
    )
  return []
}

const writerOf = ({ lines }: ReadFile): string | undefined =>
  lines.findLast(({ checkpoint }) => checkpoint.link)?.checkpoint.link?.writer

async function filesIn(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return []
  return found.isFile()
    ? [path]
    : (await readdir(path))
        .filter((name) => name.endsWith('.jsonl'))
        .sort()
        .map((name) => join(path, name))
}

async function foldersOf(paths: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    paths.map(async (path) =>
      (await stat(path).catch(() => undefined))?.isFile() ? dirname(path) : path,
    ),
  )
}
