import { dirname } from 'node:path'
import { messageOf, tryAsync, type CommandContext, type Inspector } from '@amodal/sdk'
import { LOCK_FILE, readLock, type Lock } from '@amodal/sdk/packages'
import { duplicates, lockFindings, manifestDrift, missingSecrets } from './examine.ts'
import { finding, hasErrors, report, type Finding } from './findings.ts'
import { installed, isPackageName } from './installed.ts'
import { ManifestEdit } from './manifest-edit.ts'
import { review } from './review.ts'

/** Codes of wiring issues that the checks of the packages report as well. */
const REPORTED_PER_PACKAGE = new Set(['KERNEL_VERSION', 'PLUGIN_DRIFT'])

/**
 * Examines every package that amodal.json lists, and prints what is wrong.
 *
 * @returns the exit code
 */
export async function diagnose(context: CommandContext, inspector: Inspector): Promise<number> {
  const { dir, print, fail, options } = context
  const manifest = await ManifestEdit.open(dir)
  if (!manifest.ok) {
    fail(manifest.error.message)
    return 1
  }
  const findings = await examined(manifest.value, context, inspector)
  if (options['json'] === true) print(JSON.stringify(findings, undefined, 2))
  else report(findings, print)
  if (options['json'] !== true && findings.length === 0)
    print(allIsWell(packagesOf(manifest.value)))
  return hasErrors(findings) ? 1 : 0
}

const allIsWell = (names: readonly string[]): string =>
  names.length === 0
    ? 'amodal.json lists no plugins of its own.'
    : `Nothing is wrong with: ${names.join(', ')}.`

const packagesOf = ({ named }: ManifestEdit): readonly string[] =>
  named.filter((name) => name !== undefined)

async function examined(
  manifest: ManifestEdit,
  context: CommandContext,
  inspector: Inspector,
): Promise<readonly Finding[]> {
  const lock = await readLock(dirname(manifest.file))
  if (!lock.ok)
    return [finding('PLUGIN_DRIFT', 'error', LOCK_FILE, lock.error.message, lock.error.fix)]
  const names = packagesOf(manifest)
  const about = await Promise.all(
    names.map((name) => aboutPackage(name, manifest, lock.value, context, inspector)),
  )
  const stale = Object.keys(lock.value?.plugins ?? {}).filter((name) => !names.includes(name))
  const found = [
    ...about.flat(),
    ...stale.map((name) =>
      finding(
        'LOCK_STALE',
        'warning',
        name,
        `${LOCK_FILE} has ${name}, which amodal.json does not list`,
        `list it, or take its entry out of ${LOCK_FILE}`,
      ),
    ),
  ]
  return [...found, ...(await ofWiring(context, found))]
}

async function aboutPackage(
  name: string,
  manifest: ManifestEdit,
  lock: Lock | undefined,
  context: CommandContext,
  inspector: Inspector,
): Promise<readonly Finding[]> {
  if (!isPackageName(name)) return []
  const found = await installed(name, context.dir)
  if (!found) return [] // one that amodal brings, or one that the wiring names as missing
  const locked = lock?.plugins[name]
  const surroundings = { dir: context.dir, inspector }
  const reviewed = (await review(name, found, surroundings)).map((one) =>
    isAccepted(one, manifest.ignoresCompat(name), locked?.accepted ?? [])
      ? { ...one, severity: 'warning' as const }
      : one,
  )
  return [
    ...reviewed,
    ...(await lockFindings(name, found, locked)),
    ...(await duplicates(name, found)),
    ...(await missingSecrets(name, found, context)),
    ...manifestDrift(name, found, inspector),
  ]
}

/** What was accepted when the plugin was added is reported as a warning. */
const isAccepted = (
  { code }: Finding,
  ignoresCompat: boolean,
  accepted: readonly string[],
): boolean =>
  code === 'KERNEL_VERSION' || code === 'PEER_RANGE' ? ignoresCompat : accepted.includes(code)

/** Why the agent cannot start, except for what was already reported for a package. */
async function ofWiring(
  { wiring = [], start }: CommandContext,
  reported: readonly Finding[],
): Promise<readonly Finding[]> {
  if (wiring.length > 0)
    return wiring
      .filter(
        ({ code, message }) =>
          !REPORTED_PER_PACKAGE.has(code) ||
          !reported.some((one) => one.severity === 'error' && message.includes(`"${one.package}"`)),
      )
      .map(({ file, line, code, message, fix }) => ({
        code,
        severity: 'error',
        package: file ?? 'amodal.json',
        message: `${file ?? 'amodal.json'}${line === undefined ? '' : `:${line}`}  ${message}`,
        fix: fix ?? 'see the message',
      }))
  if (hasErrors(reported)) return []
  const started = await tryAsync(() => start({ without: ['http'], looking: true }), messageOf)
  return started.ok ? [] : [finding('START_FAILED', 'error', 'amodal.json', started.error)]
}
