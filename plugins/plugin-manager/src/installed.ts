import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { messageOf, tryAsync } from '@amodal/sdk'
import { z } from 'zod'

const Package = z.looseObject({
  name: z.string(),
  version: z.string(),
  keywords: z.array(z.string()).default([]),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  amodal: z.looseObject({ plugin: z.string().min(1), kernel: z.int() }).optional(),
})
export type PluginPackage = z.output<typeof Package>

/** The `package.json` of a package as Node would find it from the agent's folder. */
export async function installed(name: string, dir: string): Promise<PluginPackage | undefined> {
  const folders = createRequire(join(dir, 'amodal.json')).resolve.paths(name) ?? []
  const folder = folders
    .map((one) => join(one, name))
    .find((one) => existsSync(join(one, 'package.json')))
  if (folder === undefined) return undefined
  const read = await tryAsync(
    async (): Promise<unknown> => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
    messageOf,
  )
  const parsed = Package.safeParse(read.ok ? read.value : undefined)
  return parsed.success ? parsed.data : undefined
}

/** Whether a package says of itself that it is a plugin. */
export const isPluginPackage = ({ keywords, amodal }: PluginPackage): boolean =>
  amodal !== undefined || keywords.includes('amodal-plugin')

/** Neither a path nor one that `amodal` brings. */
export const isPackageName = (name: string): boolean =>
  /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/.test(name)
