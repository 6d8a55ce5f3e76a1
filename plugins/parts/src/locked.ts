import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import {
  err,
  failure,
  messageOf,
  ok,
  tryAsync,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { Issues, readJsonObject, type JsonFile } from '@amodal/sdk/files'
import { LOCK_FILE, readLock, type Lock } from '@amodal/sdk/packages'
import { recoverChange } from '@amodal/plugin-repo-files/tokens'
import { z } from 'zod'
import { capabilityLists } from './capability-lists.ts'
import { readNamed, type NamedPackage } from './named-packages.ts'

const lockedPackage = z.strictObject({
  version: z.string(),
  /** What was asked for: a name with a range, a path from the agent folder, or an address of git. */
  from: z.string(),
  /** Where exactly it came from. */
  resolved: z.string(),
  /** Of a source that is git. */
  commit: z.string().exactOptional(),
  /** Of the tarball; of the files where there is none. */
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/),
  /** Of the files, see `treeHash`. */
  tree: z.string().regex(/^sha256-[0-9a-f]{64}$/),
  /** What a person has accepted that it reaches. */
  capabilities: capabilityLists,
  /** Other packages of parts that it needs. */
  dependencies: z.record(z.string(), z.string()).default({}),
  /** A folder under development: its files are read where they stand, and not compared. */
  link: z.literal(true).exactOptional(),
})
/** A package as amodal.lock has it. */
export type LockedPackage = z.output<typeof lockedPackage>

/** @returns the entry, or which of its fields is missing or wrong */
export function readLocked(value: unknown): Result<LockedPackage, string> {
  const read = lockedPackage.safeParse(value)
  if (read.success) return ok(read.data)
  const [issue] = read.error.issues
  return err(`\`${issue?.path.join('.') ?? ''}\` is missing or is not what it should be`)
}

export const MANIFEST = 'amodal.json'

/** What an agent folder says of its packages. */
export interface AgentPackages {
  /** A real path. */
  readonly root: string
  readonly manifestText: string
  readonly manifest: JsonFile<JsonObject>
  /** Packages of amodal.json, in its order. */
  readonly named: readonly NamedPackage[]
  /** `null` where there is no lock. */
  readonly lockText: string | null
  readonly lock: Lock
  readonly locked: ReadonlyMap<string, LockedPackage>
}

/**
 * Reads amodal.json and amodal.lock, after a change that was broken off has been finished.
 *
 * @returns `NOT_FOUND`, `BAD_REPO` or `BAD_CONFIG` where one of them cannot be used
 */
export async function readAgentPackages(dir: string): Promise<Result<AgentPackages, Failure>> {
  const root = await tryAsync(() => realpath(dir), messageOf)
  if (!root.ok) return err(failure('NOT_FOUND', `there is no folder ${dir}: ${root.error}`))
  const { problem } = recoverChange(root.value)
  if (problem !== undefined)
    return err(failure('UNREADABLE', `a change of ${dir} cannot be finished: ${problem}`))
  const manifest = await readManifest(root.value)
  if (!manifest.ok) return manifest
  const issues = new Issues()
  const named = readNamed(manifest.value.json, issues)
  const [issue] = issues.sorted()
  if (issue)
    return err(
      failure('BAD_REPO', `${MANIFEST}:${issue.line ?? 1} ${issue.message}`, {
        ...(issue.fix !== undefined && { fix: issue.fix }),
      }),
    )
  const lock = await readLock(root.value)
  if (!lock.ok) return lock
  const packages = lockedIn(lock.value)
  if (!packages.ok) return packages
  return ok({
    root: root.value,
    manifestText: manifest.value.text,
    manifest: manifest.value.json,
    named,
    lockText: (await textOf(join(root.value, LOCK_FILE))) ?? null,
    lock: lock.value ?? { lockVersion: 1, plugins: {}, packages: {} },
    locked: packages.value,
  })
}

function lockedIn(lock: Lock | undefined): Result<ReadonlyMap<string, LockedPackage>, Failure> {
  const packages = new Map<string, LockedPackage>()
  for (const [name, entry] of Object.entries(lock?.packages ?? {})) {
    const read = readLocked(entry)
    if (!read.ok)
      return err(
        failure('BAD_CONFIG', `${LOCK_FILE}: \`packages.${name}\`: ${read.error}`, {
          fix: `restore ${LOCK_FILE} from version control`,
        }),
      )
    packages.set(name, read.value)
  }
  return ok(packages)
}

interface ManifestText {
  readonly text: string
  readonly json: JsonFile<JsonObject>
}

async function readManifest(root: string): Promise<Result<ManifestText, Failure>> {
  const text = await textOf(join(root, MANIFEST))
  if (text === undefined)
    return err(
      failure('NOT_FOUND', `there is no ${MANIFEST} in ${root}; name the agent with --dir`),
    )
  const issues = new Issues()
  const json = readJsonObject({ path: MANIFEST, text }, issues)
  if (json) return ok({ text, json })
  const [issue] = issues.sorted()
  return err(
    failure('BAD_REPO', `${MANIFEST}:${issue?.line ?? 1} ${issue?.message ?? 'is no object'}`),
  )
}

const textOf = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch(() => undefined)
