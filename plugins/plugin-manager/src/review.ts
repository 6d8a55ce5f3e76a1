import type { Inspector } from '@amodal/sdk'
import { compatProblems } from '@amodal/sdk/packages'
import { finding, type Finding } from './findings.ts'
import { listedIn, ofHost, protocolsWithout, type ListedPlugin } from './host.ts'
import { hasPluginName, isPluginPackage, type PackageFolder } from './installed.ts'
import { overReach, scan } from './scan.ts'

/** Scripts that npm runs when a package is installed. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'] as const

/** What a package is checked against. */
export interface Surroundings {
  readonly dir: string
  readonly inspector: Inspector
}

/**
 * Checks a package without loading its code: whether it is a plugin, is compatible with this agent,
 * and does no more than it declares.
 */
export async function review(
  name: string,
  found: PackageFolder,
  { dir, inspector }: Surroundings,
): Promise<readonly Finding[]> {
  if (!isPluginPackage(found))
    return [
      finding(
        'NOT_A_PLUGIN',
        'error',
        name,
        `${name} ${found.manifest.version} is no plugin: its package.json has neither \`amodal\` nor the keyword amodal-plugin`,
      ),
    ]
  const listed = listedIn(inspector)
  return [
    ...declarationFindings(name, found),
    ...fits(name, found, listed),
    ...(await peers(name, found, dir)),
    ...(await beyond(name, found)),
  ]
}

/** A linked folder has more files than are published, so it is not scanned. */
const beyond = async (
  name: string,
  { isLinked, folder, manifest }: PackageFolder,
): Promise<readonly Finding[]> =>
  isLinked ? [] : overReach(name, await scan(folder), manifest.amodal?.capabilities ?? {})

function declarationFindings(
  name: string,
  { manifest, unreadable }: PackageFolder,
): readonly Finding[] {
  const scripts = INSTALL_SCRIPTS.filter((script) => script in manifest.scripts)
  const version = `${name} ${manifest.version}`
  return [
    ...(unreadable === undefined
      ? []
      : [finding('NOT_A_PLUGIN', 'error', name, `${version}: ${unreadable}`)]),
    ...(manifest.amodal?.capabilities === undefined && unreadable === undefined
      ? [
          finding(
            'NO_MANIFEST',
            'warning',
            name,
            `${version} does not say what it does, so that nothing holds it to anything`,
          ),
        ]
      : []),
    ...(hasPluginName(name)
      ? []
      : [finding('PACKAGE_NAME', 'warning', name, `${name} has no name that plugins have`)]),
    ...(scripts.length === 0
      ? []
      : [
          finding(
            'INSTALL_SCRIPT',
            'error',
            name,
            `${version} wants to run ${scripts.join(', ')} when it is installed`,
          ),
        ]),
  ]
}

/** Checks the kernel and slot versions, and names that another plugin already uses. */
function fits(
  name: string,
  { manifest: { amodal } }: PackageFolder,
  listed: readonly ListedPlugin[],
): readonly Finding[] {
  if (!amodal) return []
  const others = listed.filter(({ source }) => source !== name)
  const claimed = { 'error code': amodal.errors, 'event type': amodal.events }
  return [
    ...compatProblems(name, amodal, protocolsWithout(listed, name)).map(({ message, fix }) =>
      finding('KERNEL_VERSION', 'error', name, message, fix),
    ),
    ...Object.entries(claimed).flatMap(([what, names]) =>
      names.flatMap((one) => {
        const other = others.find(({ plugin }) => plugin.claims?.[what]?.includes(one))
        return other === undefined
          ? []
          : [
              finding(
                'DUPLICATE_NAME',
                'error',
                name,
                `${name} and ${other.name} both define the ${what} "${one}"`,
              ),
            ]
      }),
    ),
  ]
}

/** Checks the ranges of its peer dependencies against the installed versions. */
async function peers(
  name: string,
  { manifest: { peerDependencies } }: PackageFolder,
  dir: string,
): Promise<readonly Finding[]> {
  const { satisfies } = (await import('semver')).default
  const found = await Promise.all(
    Object.entries(peerDependencies).map(async ([peer, range]) => {
      const there = await ofHost(peer, dir)
      return there === undefined || satisfies(there.version, range, { includePrerelease: true })
        ? []
        : [
            finding(
              'PEER_RANGE',
              'error',
              name,
              `${name} wants ${peer} ${range}, and ${there.version} is here`,
            ),
          ]
    }),
  )
  return found.flat()
}
