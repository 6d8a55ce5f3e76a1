import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { err, messageOf, ok, tryAsync, trySync, type Failure, type Result } from '@amodal/kernel'
import { z } from 'zod'
import { jsonValue } from '../json-value.ts'
import { failure } from '../errors.ts'
import { CAPABILITY_KINDS, capabilityChanges, type CapabilityChange } from './capabilities.ts'
import { contentHash } from './content.ts'
import { CapabilityLists, type PluginManifest } from './manifest.ts'

/** Lies next to amodal.json, and belongs under version control as well. */
export const LOCK_FILE = 'amodal.lock'

const LockedPlugin = z.strictObject({
  version: z.string(),
  /** Of the tarball, as npm has it; none for a folder that is linked. */
  integrity: z.string().optional(),
  /** Of the installed files; none for a folder that is linked, whose files change as one works. */
  content: z.string().optional(),
  /** What a person has accepted that it does; none where its package does not say. */
  capabilities: CapabilityLists.optional(),
  /** Findings in its files that were accepted, by their kinds. */
  accepted: z.array(z.string()).default([]),
})
export type LockedPlugin = z.output<typeof LockedPlugin>

const Lock = z.strictObject({
  lockVersion: z.literal(1),
  plugins: z.record(z.string(), LockedPlugin).default({}),
  /** Packages of parts by their names; whoever installs them reads their entries. */
  packages: z.record(z.string(), jsonValue).default({}),
})
export type Lock = z.output<typeof Lock>

/** The plugins that were accepted for an agent: `undefined` where it has no lock. */
export async function readLock(dir: string): Promise<Result<Lock | undefined, Failure>> {
  const file = join(dir, LOCK_FILE)
  const text = await tryAsync(
    () => readFile(file, 'utf8'),
    (cause) => cause,
  )
  if (!text.ok)
    return isMissing(text.error)
      ? ok(undefined)
      : err(failure('UNREADABLE', `${file} cannot be read: ${messageOf(text.error)}`))
  const json = trySync((): unknown => JSON.parse(text.value), messageOf)
  const read = Lock.safeParse(json.ok ? json.value : undefined)
  if (read.success) return ok(read.data)
  const [issue] = read.error.issues
  const why = json.ok ? `\`${issue?.path.join('.') ?? ''}\` ${issue?.message ?? ''}` : json.error
  return err(
    failure('BAD_CONFIG', `${file} is no lock of plugins: ${why}`, {
      fix: `restore ${LOCK_FILE} from version control, or remove it and accept each plugin anew`,
    }),
  )
}

/** The text of a lock: its entries are sorted, so that equal locks have equal texts. */
export function lockText({ lockVersion, plugins, packages }: Lock): string {
  const lock = {
    lockVersion,
    plugins: sortedByName(plugins),
    ...(Object.keys(packages).length > 0 && { packages: sortedByName(packages) }),
  }
  return `${JSON.stringify(lock, undefined, 2)}\n`
}

const sortedByName = <T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Writes the lock of an agent atomically: a reader sees the old one or the new one. */
export function writeLock(dir: string, lock: Lock) {
  const file = join(dir, LOCK_FILE)
  const temporary = `${file}.${process.pid}.tmp`
  return tryAsync(
    async () => {
      await writeFile(temporary, lockText(lock))
      await rename(temporary, file)
    },
    (cause) => failure('UNREADABLE', `${file} cannot be written: ${messageOf(cause)}`, { cause }),
  )
}

/** A package as it stands installed. */
export interface InstalledPlugin {
  readonly name: string
  readonly version: string
  readonly folder: string
  readonly manifest: PluginManifest | undefined
}

/**
 * Compares an installed package with what was accepted.
 *
 * @returns `PLUGIN_DRIFT` where its version, its files or what it does are not those
 */
export async function checkLocked(
  { name, version, folder, manifest }: InstalledPlugin,
  locked: LockedPlugin,
): Promise<Result<void, Failure>> {
  const drift = (what: string): Result<never, Failure> =>
    err(
      failure('PLUGIN_DRIFT', `"${name}" is not what ${LOCK_FILE} has: ${what}`, {
        fix: `install ${name}@${locked.version} again, or read what changed and accept it: amodal plugins add ${name} --no-install`,
      }),
    )
  if (version !== locked.version && locked.content !== undefined)
    return drift(`version ${version} is installed, and ${locked.version} was accepted`)
  const more = capabilityChanges(locked.capabilities ?? {}, manifest?.capabilities ?? {}).filter(
    ({ added }) => added.length > 0,
  )
  if (locked.capabilities !== undefined && more.length > 0)
    return drift(`its package.json ${more.map(changeText).join('; ')}, which nobody has accepted`)
  if (locked.content === undefined) return ok(undefined)
  const content = await tryAsync(() => contentHash(folder), messageOf)
  if (!content.ok) return drift(content.error)
  return content.value === locked.content
    ? ok(undefined)
    : drift(`files in ${folder} were changed after version ${version} was accepted`)
}

/** What a package does more, as words. */
export const changeText = ({ kind, added }: CapabilityChange): string =>
  `${CAPABILITY_KINDS[kind]} ${added.join(', ')}`

const isMissing = (cause: unknown): boolean =>
  typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ENOENT'
