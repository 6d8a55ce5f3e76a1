import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { err, messageOf, ok, tryAsync, type Failure, type Result } from '@amodal/kernel'
import { fixOf } from '@amodal/sdk'
import {
  checkLocked,
  compatProblems,
  PluginPackage,
  readManifest,
  type CapabilityLists,
  type Lock,
  type LockedPlugin,
  type PluginManifest,
  type Protocols,
} from '@amodal/sdk/packages'

/** What a package is compared with before its code is loaded. */
export interface Checks {
  /** The provider and version of each slot. */
  readonly protocols: Protocols
  /** What a person has accepted; `undefined` where the agent has no lock. */
  readonly lock: Lock | undefined
}

/** The manifest of a package whose plugin may be loaded. */
export interface CheckedPackage {
  readonly manifest: PluginManifest | undefined
  /** All that it may do: what was accepted, else what it says; anything where neither is there. */
  readonly capabilities: CapabilityLists | undefined
}

/**
 * Refuses a plugin by what its package says, and by what was accepted of it.
 *
 * @param name what amodal.json calls it
 * @param entry the file that would be loaded
 * @param ignoreCompat it is loaded although it is made for another kernel
 * @returns `KERNEL_VERSION` where it is made for another kernel or other versions of slots;
 *   `NOT_A_PLUGIN` where it says of itself what nobody can read; `PLUGIN_DRIFT` where it is not
 *   what was accepted. A package that says nothing is loaded.
 */
export async function checkPackage(
  name: string,
  entry: string,
  { protocols, lock }: Checks,
  ignoreCompat = false,
): Promise<Result<CheckedPackage, Failure>> {
  const file = packageJsonOf(entry)
  if (file === undefined) return ok({ manifest: undefined, capabilities: undefined })
  const text = await tryAsync(() => readFile(file, 'utf8'), messageOf)
  const said = readManifest(text.ok ? text.value : '{}', file)
  if (!said.ok) return err({ ...said.error, message: `"${name}": ${said.error.message}` })
  const manifest = said.value
  const unfit = manifest && !ignoreCompat ? compatProblems(name, manifest, protocols) : []
  const locked = lock?.plugins[name]
  const drift = locked && text.ok ? await driftOf(name, file, text.value, locked) : undefined
  const problems = [...unfit, ...(drift ? [drift] : [])]
  return problems.length > 0
    ? err(asOne(problems))
    : ok({ manifest, capabilities: locked?.capabilities ?? manifest?.capabilities })
}

/** All that is wrong with one item of a list, since an item has one issue. */
function asOne(problems: readonly Failure[]): Failure {
  const message = problems.map((one) => one.message).join('; ')
  const fix = [...new Set(problems.map(fixOf))].join('; ')
  return { code: problems[0]?.code ?? 'NOT_A_PLUGIN', message, fix }
}

async function driftOf(
  name: string,
  file: string,
  text: string,
  locked: LockedPlugin,
): Promise<Failure | undefined> {
  const read = PluginPackage.safeParse(JSON.parse(text)) // `readManifest` could
  if (!read.success) return undefined
  const { version, amodal } = read.data
  const checked = await checkLocked(
    { name, version, folder: dirname(file), manifest: amodal },
    locked,
  )
  return checked.ok ? undefined : checked.error
}

function packageJsonOf(entry: string): string | undefined {
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) return file
    if (folder === dirname(folder)) return undefined
  }
}
