import { partPath } from '@amodal/sdk/files'

/** Folders that a package may bring, each for a kind of parts. */
export const PART_FOLDERS = [
  'agents',
  'automations',
  'connections',
  'evals',
  'knowledge',
  'pages',
  'skills',
  'stores',
  'tools',
] as const

/**
 * Folders and files that decide what others may do, or that belong to one agent alone: a package
 * with one of them is refused and not read in part.
 */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^(?:amodal\/)?hooks\//, 'guards are code of the agent itself'],
  [/^roles\//, "roles are the agent's own"],
  [/^agents\/(?:main|default)\//, "the main agent is the folder's own"],
  [/^amodal\//, 'the folders of parts stand in the root of a package'],
  [/^\.env(?:\.|$)/, 'values of variables belong to nobody else'],
]

/**
 * The part that a file belongs to: `skills.triage`, `connections.crm`, `knowledge.returns/eu`.
 *
 * @returns `undefined` for a file that is no part, such as a README
 */
export function partOf(path: string): string | undefined {
  const [folder = '', ...below] = partPath(path).split('/')
  const name = below[0]
  if (!PART_FOLDERS.some((one) => one === folder) || name === undefined || name === '')
    return undefined
  if (below.some((segment) => segment.startsWith('.'))) return undefined
  if (folder === 'knowledge') return `knowledge.${below.join('/').replace(/\.md$/i, '')}`
  return `${folder}.${below.length === 1 ? name.replace(/\..*$/, '') : name}`
}

/** Why a package with this file is refused. */
export const refusedPath = (path: string): string | undefined =>
  REFUSED.find(([pattern]) => pattern.test(path))?.[1]

/** Whether an entry of `use` names a part: by its name, or its whole kind as `skills.*`. */
export const usesPart = (use: readonly string[] | undefined, part: string): boolean =>
  use === undefined ||
  use.some((one) => one === part || (one.endsWith('.*') && part.startsWith(one.slice(0, -1))))
