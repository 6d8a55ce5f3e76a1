import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { messageOf, tryAsync, trySync } from '@amodal/sdk'
import { PluginPackage, readManifest } from '@amodal/sdk/packages'

/** A package in a folder. None of its code has been loaded. */
export interface PackageFolder {
  readonly folder: string
  /** It is a link to a folder under development. */
  readonly isLinked: boolean
  readonly manifest: PluginPackage
  /** Why its plugin manifest cannot be read. */
  readonly unreadable: string | undefined
}

/** The package as Node would find it from the agent's folder. */
export async function installed(name: string, dir: string): Promise<PackageFolder | undefined> {
  const folders = createRequire(join(dir, 'amodal.json')).resolve.paths(name) ?? []
  const folder = folders
    .map((one) => join(one, name))
    .find((one) => existsSync(join(one, 'package.json')))
  return folder === undefined ? undefined : packageIn(folder)
}

/** The package in a folder; `undefined` where its package.json cannot be read. */
export async function packageIn(folder: string): Promise<PackageFolder | undefined> {
  const file = join(folder, 'package.json')
  const text = await tryAsync(() => readFile(file, 'utf8'), messageOf)
  const json = trySync((): unknown => JSON.parse(text.ok ? text.value : ''), messageOf)
  if (!text.ok || !json.ok) return undefined
  const manifest = readManifest(text.value, file)
  const parsed = PluginPackage.safeParse(
    manifest.ok || typeof json.value !== 'object'
      ? json.value
      : { ...json.value, amodal: undefined },
  )
  if (!parsed.success) return undefined
  const real = await realpath(folder)
  return {
    folder: real,
    isLinked: !real.includes(`${sep}node_modules${sep}`),
    manifest: parsed.data,
    unreadable: manifest.ok ? undefined : manifest.error.message,
  }
}

/** Whether a package declares itself to be a plugin. */
export const isPluginPackage = ({ manifest: { keywords, amodal }, unreadable }: PackageFolder) =>
  amodal !== undefined || unreadable !== undefined || keywords.includes('amodal-plugin')

/** Whether a name is that of a package: neither a path nor a builtin plugin. */
export const isPackageName = (name: string): boolean =>
  /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/.test(name)

/** Whether a name follows the naming convention of plugin packages. */
export const hasPluginName = (name: string): boolean =>
  /^(?:@[^/]+\/)?amodal-plugin-./.test(name) || name.startsWith('@amodal/plugin-')
