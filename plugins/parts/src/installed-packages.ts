import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, type BundleFile, type Json, type JsonObject } from '@amodal/sdk'
import { Issues, readJsonObject, type JsonFile } from '@amodal/sdk/files'
import { LOCK_FILE } from '@amodal/sdk/packages'
import type { CombinedFiles, FileSource, OwnFiles } from '@amodal/plugin-repo-files/tokens'
import { beyond, capabilityText } from './capability-lists.ts'
import { combineParts, type InstalledPackage } from './combine.ts'
import { readFolder } from './folder-contents.ts'
import { MANIFEST, readLocked, type LockedPackage } from './locked.ts'
import { readNamed, type NamedPackage } from './named-packages.ts'
import { folderOf, isStored, readStored, storedFolder } from './package-store.ts'
import { packagesFile } from './packages-file.ts'
import { pathOf } from './source.ts'
import { usedCapabilities } from './used-capabilities.ts'

const RESTORE = 'run `amodal pkg install`, which restores what the lock has'

/**
 * The files of the packages that amodal.json names, for whatever reads an agent folder. A package
 * that is missing, that has other files than the lock, or that uses more than was accepted stops
 * the agent from starting.
 */
export const packageSource: FileSource = {
  async combine(own, signal): Promise<CombinedFiles> {
    const blocked = new Issues()
    const manifest = manifestOf(own.files)
    const named = manifest ? readNamed(manifest, blocked) : []
    if (named.length === 0) return { files: own.files, issues: [], blocked: blocked.sorted() }
    const lock = await readLockFile(own.root, blocked)
    const issues = new Issues()
    const packages: InstalledPackage[] = []
    if (lock)
      for (const wanted of wantedPackages(named, lock, blocked)) {
        const installed = await readInstalled({ own, lock, wanted, signal }, blocked, issues)
        if (installed) packages.push(installed)
      }
    if (blocked.errors > 0) return { files: own.files, issues: [], blocked: blocked.sorted() }
    const combined = combineParts(own.files, packages)
    return {
      files: [...combined.files, packagesFile(packages, combined)],
      issues: [...issues.sorted(), ...combined.issues],
      blocked: [],
    }
  },
}

function manifestOf(files: readonly BundleFile[]): JsonFile<JsonObject> | undefined {
  const file = files.find(({ path }) => path === MANIFEST)
  // What is wrong with its JSON is reported where it is read.
  return file && readJsonObject(file, new Issues())
}

interface LockFile {
  readonly json: JsonFile<JsonObject>
  readonly packages: ReadonlyMap<string, Json>
}

async function readLockFile(root: string, blocked: Issues): Promise<LockFile | undefined> {
  const text = await readFile(join(root, LOCK_FILE), 'utf8').catch(() => undefined)
  if (text === undefined) {
    blocked.error('PARTS_NOT_LOCKED', `amodal.json names packages, and there is no ${LOCK_FILE}`, {
      file: LOCK_FILE,
      line: 1,
      fix: `restore ${LOCK_FILE} from version control, or run \`amodal pkg install\``,
    })
    return undefined
  }
  const json = readJsonObject({ path: LOCK_FILE, text }, blocked)
  if (!json) return undefined
  const packages = json.value['packages']
  return { json, packages: new Map(isObject(packages) ? Object.entries(packages) : []) }
}

interface WantedPackage extends NamedPackage {
  readonly locked: LockedPackage
  /** The line of its entry in the lock. */
  readonly lockLine: number
}

/** The named packages and those that they need, each once, in the order in which they are named. */
function wantedPackages(
  named: readonly NamedPackage[],
  { json, packages }: LockFile,
  blocked: Issues,
): readonly WantedPackage[] {
  const wanted = new Map<string, WantedPackage>()
  const waiting: NamedPackage[] = [...named]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { name, line } = next
    if (wanted.has(name)) continue
    const entry = packages.get(name)
    if (entry === undefined) {
      if (!named.includes(next)) continue // a library of its author, which is no package of parts
      blocked.error('PARTS_NOT_LOCKED', `"${name}" is not in ${LOCK_FILE}`, {
        file: MANIFEST,
        line,
        fix: `run \`amodal pkg install\`, or remove it from \`packages\``,
      })
      continue
    }
    const lockLine = json.lineOf(['packages', name])
    const locked = readLocked(entry)
    if (!locked.ok) {
      blocked.error('PARTS_TAMPERED', `the entry of "${name}": ${locked.error}`, {
        file: LOCK_FILE,
        line: lockLine,
        fix: `restore ${LOCK_FILE} from version control`,
      })
      continue
    }
    wanted.set(name, { ...next, locked: locked.value, lockLine })
    for (const dependency of Object.keys(locked.value.dependencies))
      waiting.push({ name: dependency, line })
  }
  return [...wanted.values()]
}

interface Reading {
  readonly own: OwnFiles
  readonly lock: LockFile
  readonly wanted: WantedPackage
  readonly signal: AbortSignal
}

async function readInstalled(
  { own: { root }, wanted, signal }: Reading,
  blocked: Issues,
  issues: Issues,
): Promise<InstalledPackage | undefined> {
  const { name, use, line, locked, lockLine } = wanted
  const stop = (code: string, message: string, fix: string): undefined => {
    blocked.error(code, message, { file: LOCK_FILE, line: lockLine, fix })
    return undefined
  }
  const { version, capabilities, link } = locked
  const read =
    link === true
      ? await readLinked(root, name, locked, signal)
      : await readStored(root, name, locked, signal)
  if (!read.ok) {
    if (link === true) return stop('PARTS_NOT_FOUND', read.error.message, 'correct the link')
    return (await isStored(root, name, locked))
      ? stop('PARTS_TAMPERED', read.error.message, RESTORE)
      : stop('PARTS_NOT_FOUND', `${name} is not in ${storedFolder(name, locked)}`, RESTORE)
  }
  const more = beyond(usedCapabilities(read.value), capabilities)
  if (more.length > 0)
    return stop(
      'PARTS_TAMPERED',
      `${name} does more than was accepted: it ${more.map(capabilityText).join('; ')}`,
      link === true
        ? `accept it with \`amodal pkg link ${locked.from.replace(/^file:/, '')}\``
        : `restore ${LOCK_FILE} from version control, or accept it with \`amodal pkg update ${name}\``,
    )
  if (link === true)
    issues.warn('PARTS_NOT_LOCKED', `${name} is a link to a folder, whose files are not compared`, {
      file: LOCK_FILE,
      line: lockLine,
      fix: `install it before a deployment: \`amodal pkg install ${locked.from.replace(/^file:/, '')}\``,
    })
  return {
    name,
    version,
    folder: folderOf(name, locked),
    contents: read.value,
    capabilities,
    line,
    ...(use && { use }),
  }
}

async function readLinked(root: string, name: string, locked: LockedPackage, signal: AbortSignal) {
  const read = await readFolder(pathOf(locked.from, root), signal)
  return read.ok
    ? read
    : ({ ok: false, error: { message: `the link of ${name}: ${read.error}` } } as const)
}
