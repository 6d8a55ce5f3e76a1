import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { PathRefused } from '../errors.ts'

/** The folders that hold an agent. */
export const FOLDERS: readonly string[] = [
  'skills',
  'knowledge',
  'connections',
  'stores',
  'pages',
  'automations',
  'evals',
  'experiments',
  'agents',
  'tools',
]
/** Parts of others, which are installed: they can be read alone. */
export const PACKAGES = 'amodal_packages'

const MOST_CHARS = 300
/** Settings of other programs, and what may hold a key, wherever they lie. */
const REFUSED_NAMES =
  /^(node_modules|amodal\.json|package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|tsconfig(\..*)?\.json)$|\.(pem|key|p12|pfx|jks|keystore)$/i
/** Control characters, and what other systems read as something else than a name. */
const REFUSED_CHARACTERS = /[\p{Cc}\p{Cf}\\:*?"<>|]/u

/** Checks the path of a file or folder below the agent folder, written with `/`. */
export function readPath(text: string): Result<string, Failure> {
  const path = text.replace(/^\.\//, '').replace(/\/$/, '')
  const refused = (why: string): Result<string, Failure> =>
    err(PathRefused(`${JSON.stringify(text.slice(0, MOST_CHARS))}: ${why}`))
  if (path === '' || path.length > MOST_CHARS)
    return refused(`a path has 1 to ${MOST_CHARS} characters`)
  if (REFUSED_CHARACTERS.test(path)) return refused('a path has letters, digits, - _ . and /')
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part.startsWith('.')))
    return refused('a path leads down from the agent folder, without hidden files, . and ..')
  if (parts.some((part) => /[. ]$/.test(part))) return refused('a name ends with a letter or digit')
  if (parts.some((part) => REFUSED_NAMES.test(part.normalize('NFKC'))))
    return refused('this file is not for the admin agent; use your editor')
  const [folder = ''] = parts
  if (![...FOLDERS, PACKAGES].includes(folder))
    return refused(`the folders are ${[...FOLDERS, PACKAGES].join(', ')}`)
  return ok(path)
}

/** Checks the path of a file that is to be written or removed. */
export function readOwnPath(text: string): Result<string, Failure> {
  const path = readPath(text)
  if (!path.ok) return path
  if (path.value.startsWith(`${PACKAGES}/`))
    return err(PathRefused(`${path.value}: packages are read-only; update the package instead`))
  return path.value.includes('/')
    ? path
    : err(PathRefused(`${path.value} is a folder: name a file in it`))
}

/**
 * Whether a file decides what the agent or somebody may do: whom it reaches, with which key, what
 * code runs, what is done without a person.
 */
export const carriesRights = (path: string): boolean =>
  /^(tools|connections|automations|agents|roles)\/|^amodal\.json$|(^|\/)access\.json$/i.test(path)
