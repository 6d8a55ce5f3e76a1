import type { BundleFile } from '@amodal/sdk'
import { PACKAGES_FILE, type PartOrigins } from '@amodal/sdk/packages'
import type { Combined, InstalledPackage } from './combine.ts'

/** The file that tells other plugins which parts come from packages. */
export function packagesFile(
  installed: readonly InstalledPackage[],
  { origins, tools }: Combined,
): BundleFile {
  const content: PartOrigins = {
    packages: Object.fromEntries(
      installed.map(({ name, version, folder, capabilities }) => [
        name,
        { version, folder, capabilities },
      ]),
    ),
    parts: Object.fromEntries(
      origins.flatMap(({ part, from, overridden }) => (overridden ? [] : [[part, from]])),
    ),
    tools: { ...tools },
  }
  return { path: PACKAGES_FILE, text: `${JSON.stringify(content, undefined, 2)}\n` }
}
