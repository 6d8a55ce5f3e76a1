import { z } from 'zod'
import type { AgentBundle } from '../ports/bundle.ts'

/**
 * A file of a bundle that stands in no folder of an agent: which parts come from packages, and what
 * was accepted of those. As a file it belongs to the hash of the bundle, and a turn keeps it with
 * the rest.
 */
export const PACKAGES_FILE = '.amodal/packages.json'

const partOrigins = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string(),
      /** Where its files stand, from the agent folder. */
      folder: z.string(),
      /** What a person has accepted that it reaches, by kind. */
      capabilities: z.record(z.string(), z.array(z.string())),
    }),
  ),
  /** Packages by the parts that come from them: `skills.triage`. */
  parts: z.record(z.string(), z.string()),
  /** Packages by the names of their tools. */
  tools: z.record(z.string(), z.string()),
})
/** The packages that a bundle has parts of. */
export type PartOrigins = z.output<typeof partOrigins>

const READ = new WeakMap<AgentBundle['files'], PartOrigins>()
const NONE: PartOrigins = { packages: {}, parts: {}, tools: {} }

/** Which parts of a bundle come from packages; none where nothing says so. */
export function partOriginsOf({ files }: Pick<AgentBundle, 'files'>): PartOrigins {
  const known = READ.get(files)
  if (known) return known
  const file = files.find(({ path }) => path === PACKAGES_FILE)
  const origins = file ? partOrigins.parse(JSON.parse(file.text)) : NONE
  READ.set(files, origins)
  return origins
}

/**
 * The folder, from the agent folder, below which a tool's files stand.
 *
 * @param path of the tool, its folder or one of its files: `tools/get_deal`
 * @returns `undefined` where that is the agent folder itself
 */
export function packageFolderOf(
  bundle: Pick<AgentBundle, 'files'>,
  path: string,
): string | undefined {
  const { packages, parts } = partOriginsOf(bundle)
  const [kind = '', name = ''] = path.split('/')
  const from = parts[`${kind}.${name}`] ?? parts[`${kind}.${name.replace(/\..*$/, '')}`]
  return from === undefined ? undefined : packages[from]?.folder
}
