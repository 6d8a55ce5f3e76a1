import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual, parseEnv } from 'node:util'
import { tryAsync, type CommandContext, type Inspector } from '@amodal/sdk'
import { manifestFor } from '@amodal/sdk/inspection'
import {
  capabilityChanges,
  changeText,
  checkLocked,
  LOCK_FILE,
  type LockedPlugin,
} from '@amodal/sdk/packages'
import { finding, type Finding } from './findings.ts'
import { listedIn, ofHost, resolved } from './host.ts'
import type { PackageFolder } from './installed.ts'

/** Compares a package with what was accepted. */
export async function lockFindings(
  name: string,
  { manifest, folder }: PackageFolder,
  locked: LockedPlugin | undefined,
): Promise<readonly Finding[]> {
  const { version, amodal } = manifest
  if (!locked)
    return [
      finding(
        'NOT_LOCKED',
        'warning',
        name,
        `nobody has accepted ${name} ${version}: ${LOCK_FILE} does not have it`,
        `read what it may do, and accept it: amodal plugins add ${name} --no-install`,
      ),
    ]
  const changes = locked.capabilities
    ? capabilityChanges(locked.capabilities, amodal?.capabilities ?? {})
    : []
  const more = changes.filter(({ added }) => added.length > 0)
  if (more.length > 0)
    return [
      finding(
        'CAPABILITIES_CHANGED',
        'error',
        name,
        `${name} ${version} ${more.map(changeText).join('; ')}, which version ${locked.version} did not when it was accepted`,
        `read what changed, and accept it: amodal plugins add ${name} --no-install; or npm install ${name}@${locked.version}`,
      ),
    ]
  const checked = await checkLocked({ name, version, folder, manifest: amodal }, locked)
  return checked.ok
    ? []
    : [finding('PLUGIN_DRIFT', 'error', name, checked.error.message, checked.error.fix)]
}

/**
 * Libraries that a plugin shares with its host: a second copy has different classes and costs
 * memory.
 */
const SHARED = ['@amodal/kernel', '@amodal/sdk', 'zod']

/** Shared libraries of which a package has its own copy. */
export async function duplicates(
  name: string,
  { folder, isLinked }: PackageFolder,
): Promise<readonly Finding[]> {
  if (isLinked) return [] // a linked package is being developed and brings its own dependencies
  const found = await Promise.all(
    SHARED.map(async (library) => {
      const host = await ofHost(library, folder)
      const own = await resolved(library, join(folder, 'package.json'))
      return host === undefined || own === undefined || host.folder === own.folder
        ? []
        : [
            finding(
              'DUPLICATE_PACKAGE',
              'warning',
              name,
              `${name} loads a copy of ${library} of its own: ${own.version} in ${own.folder}, beside ${host.version} in ${host.folder}`,
            ),
          ]
    }),
  )
  return found.flat()
}

/** Declared environment variables that are not set. Patterns are skipped. */
export async function missingSecrets(
  name: string,
  { manifest: { amodal } }: PackageFolder,
  { dir, env }: Pick<CommandContext, 'dir' | 'env'>,
): Promise<readonly Finding[]> {
  const names = (amodal?.capabilities?.secrets ?? []).filter((one) => !one.includes('*'))
  const file = await tryAsync(
    () => readFile(join(dir, '.env'), 'utf8'),
    () => undefined,
  )
  const ofFile: CommandContext['env'] = file.ok ? parseEnv(file.value) : {}
  return names
    .filter((one) => [env, ofFile].every((set) => (set[one] ?? '') === ''))
    .map((one) =>
      finding(
        'SECRET_MISSING',
        'error',
        name,
        `${name} reads ${one}, which is not set`,
        `set ${one} in the environment or in ${join(dir, '.env')}`,
      ),
    )
}

/**
 * Compares the code of a plugin that was set up with its package.json. Code that does more is
 * refused at the start; code that does less, or other versions of slots, are reported here.
 */
export function manifestDrift(
  name: string,
  { manifest: { amodal, version } }: PackageFolder,
  inspector: Inspector,
): readonly Finding[] {
  const own = listedIn(inspector).find(({ source }) => source === name)
  if (!own || !amodal?.capabilities) return []
  const made = manifestFor(own.plugin, own.config ?? {})
  if (!made.ok) return []
  const { plugin, slots = {}, capabilities, errors, events } = amodal
  const differs = Object.entries({ plugin, slots, capabilities, errors, events })
    .filter(([field, value]) => !isDeepStrictEqual(value, { ...made.value }[field]))
    .map(([field]) => `\`${field}\``)
  if (differs.length === 0) return []
  const message = `${name} ${version}: ${differs.join(', ')} under \`amodal\` in its package.json ${differs.length === 1 ? 'is' : 'are'} not what its code does`
  return [
    finding('MANIFEST_DRIFT', plugin === made.value.plugin ? 'warning' : 'error', name, message),
  ]
}
