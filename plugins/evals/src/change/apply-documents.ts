import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { err, ok, type Failure, type Result } from '@amodal/sdk'
import { INSTRUCTION_FILES, partPath, didYouMean } from '@amodal/sdk/files'
import { ChangeInvalid } from '../errors.ts'
import { changeText, type Change } from './change.ts'
import { nameIn, plainName } from './document-name.ts'

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>

/** Where the instructions of the main agent stand; the folder wins over the flat file. */

/** Puts a skill in the place of the one that has its name. */
export async function applySkill(
  folder: string,
  change: Of<'skill'>,
): Promise<Result<void, Failure>> {
  const names = [nameIn(change.content), change.name].flatMap((name) => name ?? [])
  const skills = await skillsOf(folder)
  const found = names.flatMap(
    (name) => skills.find((skill) => skill.names.has(plainName(name))) ?? [],
  )
  if (found[0]) return write(folder, found[0].file, change.content)
  if (names.length === 0)
    return err(
      ChangeInvalid(
        `${changeText(change)}: the skill has no name; write \`name: …\` into its frontmatter`,
      ),
    )
  const known = skills.map(({ shown }) => shown)
  return err(missing(change, { what: 'skill', name: names[0] ?? '', known }))
}

/** Puts a document in the place of the one that has its path or its file name. */
export async function applyKnowledge(
  folder: string,
  change: Of<'knowledge'>,
): Promise<Result<void, Failure>> {
  const files = (await partFiles(folder, 'knowledge')).filter((file) => /\.md$/i.test(file))
  const names = files.map((file) => partPath(file).slice('knowledge/'.length).replace(/\.md$/i, ''))
  const wanted = change.name.toLowerCase()
  const exact = names.findIndex((name) => name.toLowerCase() === wanted)
  const ends = names.filter((name) => name.toLowerCase().endsWith(`/${wanted}`))
  if (exact === -1 && ends.length > 1)
    return err(
      ChangeInvalid(
        `${changeText(change)}: several documents are called so: ${ends.join(', ')}; give the file one of these paths below a folder \`knowledge\``,
      ),
    )
  const file = files[exact === -1 ? names.indexOf(ends[0] ?? '') : exact]
  return file === undefined
    ? err(missing(change, { what: 'document', name: change.name, known: names }))
    : write(folder, file, change.content)
}

/** Puts instructions in the place of those of the main agent, or gives it some. */
export async function applyPrompt(
  folder: string,
  { content }: Of<'prompt'>,
): Promise<Result<void, Failure>> {
  for (const file of INSTRUCTION_FILES)
    if (await isFile(join(folder, file))) return write(folder, file, content)
  return write(folder, INSTRUCTION_FILES[0], content)
}

interface Missing {
  readonly what: 'skill' | 'document'
  readonly name: string
  readonly known: readonly string[]
}

function missing(change: Change, { known, name, what }: Missing): Failure {
  const meant = didYouMean(name, known)
  const list = known.length === 0 ? 'it has none' : `there are: ${[...known].sort().join(', ')}`
  const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`
  const fix = what === 'skill' ? 'correct `name` in its frontmatter' : 'rename the file'
  return ChangeInvalid(
    `${changeText(change)}: the agent has no ${what} "${name}"; ${list}${hint}; ${fix}, or add it to the folder first`,
  )
}

async function write(folder: string, file: string, text: string): Promise<Result<void, Failure>> {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, text)
  return ok(undefined)
}

interface SkillFile {
  readonly file: string
  readonly shown: string
  /** Plain. */
  readonly names: ReadonlySet<string>
}

async function skillsOf(folder: string): Promise<readonly SkillFile[]> {
  const skills: SkillFile[] = []
  for (const file of await partFiles(folder, 'skills')) {
    const own =
      /([^/]+)\/SKILL\.md$/i.exec(file)?.[1] ?? /^skills\/([^/]+)\.md$/i.exec(partPath(file))?.[1]
    if (own === undefined || own.toLowerCase() === 'readme') continue
    const name = nameIn(await readFile(join(folder, file), 'utf8'))
    const names = new Set([own, name ?? own].map(plainName))
    skills.push({ file, shown: name ?? own, names })
  }
  return skills
}

/** Those of a kind of parts, in the root and in `amodal/`. */
async function partFiles(root: string, kind: string): Promise<readonly string[]> {
  const places = [kind, `amodal/${kind}`]
  return (await Promise.all(places.map((place) => filesBelow(root, place)))).flat()
}

/** Paths of files below a folder, relative to its parent, with `/`. */
async function filesBelow(root: string, folder: string): Promise<readonly string[]> {
  if (!(await isFolder(join(root, folder)))) return []
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name, parentPath }) => join(parentPath, name).slice(root.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
