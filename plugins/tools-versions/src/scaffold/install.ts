import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  err,
  failure,
  messageOf,
  ok,
  tryAsync,
  trySync,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { ScaffoldRefused } from '../errors.ts'
import { PROJECT_FILE, TOOL_NAME } from '../publish/project.ts'
import { LANGUAGES, newTool, scaffoldOf, type Files, type Language } from './files.ts'

/** What became of a file. */
export interface Written {
  readonly path: string
  readonly change: 'added' | 'updated' | 'unchanged'
}

const Project = z.looseObject({ language: z.enum(LANGUAGES) })

/** Names of the folders of a clone that have a `tool.json`. */
export async function toolsIn(clone: string): Promise<Result<readonly string[], Failure>> {
  const entries = await tryAsync(() => readdir(clone, { withFileTypes: true }), unreadable(clone))
  if (!entries.ok) return entries
  const names = entries.value
    .filter((entry) => entry.isDirectory() && TOOL_NAME.test(entry.name))
    .map(({ name }) => name)
  const found = await Promise.all(
    names.map(async (name) => (await kindOf(join(clone, name, PROJECT_FILE))) === 'file'),
  )
  return ok(names.filter((_name, at) => found[at]).toSorted())
}

/** Writes the scaffold of its language into the folder of a tool, and no other file. */
export async function installScaffold(
  clone: string,
  tool: string,
): Promise<Result<readonly Written[], Failure>> {
  const language = await languageOf(clone, tool)
  return language.ok ? writeAll(clone, tool, scaffoldOf(language.value)) : language
}

/** Creates the folder of a new tool. */
export async function createTool(
  clone: string,
  tool: string,
  language: Language,
): Promise<Result<readonly Written[], Failure>> {
  if ((await kindOf(clone)) !== 'folder')
    return refused(`${clone}: there is no such folder`, 'name a clone of the repository with --dir')
  const folder = join(clone, tool)
  if ((await kindOf(folder)) !== 'none')
    return refused(
      `${folder}: it is there already`,
      'choose another name, or bring its scaffold up to date with `amodal tool-scaffold install`',
    )
  return writeAll(clone, tool, newTool(tool, language))
}

async function languageOf(clone: string, tool: string): Promise<Result<Language, Failure>> {
  const folder = join(clone, tool)
  const file = join(folder, PROJECT_FILE)
  if (
    !TOOL_NAME.test(tool) ||
    (await kindOf(folder)) !== 'folder' ||
    (await kindOf(file)) === 'none'
  )
    return refused(
      `${file}: there is no such file`,
      'name a tool of the clone, or begin one with `amodal tool-scaffold new NAME`',
    )
  if ((await kindOf(file)) !== 'file') return refused(`${file}: it is no plain file`, REPLACE)
  const text = await tryAsync(() => readFile(file, 'utf8'), unreadable(file))
  if (!text.ok) return text
  const json = trySync(() => parseExact(text.value), messageOf)
  if (!json.ok) return refused(`${file}: it is no JSON: ${json.error}`, 'correct it')
  const project = Project.safeParse(json.value)
  return project.success
    ? ok(project.data.language)
    : refused(`${file}: ${problems(project.error)}`, 'set "language": "typescript" or "python"')
}

async function writeAll(
  clone: string,
  tool: string,
  files: Files,
): Promise<Result<readonly Written[], Failure>> {
  const folder = join(clone, tool)
  const written: Written[] = []
  // All of them are looked at before one is written.
  for (const path of Object.keys(files)) {
    const obstacle = await obstacleOf(folder, path)
    if (obstacle !== undefined)
      return refused(`${obstacle}: it is no plain file or folder`, REPLACE)
  }
  for (const [path, text] of Object.entries(files)) {
    const change = await tryAsync(() => write(join(folder, path), text), unwritable)
    if (!change.ok) return change
    written.push({ path: `${tool}/${path}`, change: change.value })
  }
  return ok(written)
}

/** What is in the way of a file: a link could lead out of the clone. */
async function obstacleOf(folder: string, path: string): Promise<string | undefined> {
  const parents = [folder, dirname(join(folder, path))]
  for (const parent of parents)
    if (!['folder', 'none'].includes(await kindOf(parent))) return parent
  const file = join(folder, path)
  return ['file', 'none'].includes(await kindOf(file)) ? undefined : file
}

async function write(file: string, text: string): Promise<Written['change']> {
  const before = await readFile(file, 'utf8').catch(() => undefined)
  if (before === text) return 'unchanged'
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return before === undefined ? 'added' : 'updated'
}

/** Links are `other`, wherever they lead. */
async function kindOf(path: string): Promise<'none' | 'file' | 'folder' | 'other'> {
  const found = await lstat(path).catch(() => undefined)
  if (!found) return 'none'
  if (found.isFile()) return 'file'
  return found.isDirectory() ? 'folder' : 'other'
}

const REPLACE = 'remove it, and repeat the command'

const refused = (message: string, fix: string): Result<never, Failure> =>
  err({ ...ScaffoldRefused(message), fix })

const unreadable =
  (path: string) =>
  (cause: unknown): Failure =>
    failure('UNREADABLE', `${path} cannot be read: ${messageOf(cause)}`)

const unwritable = (cause: unknown): Failure =>
  failure('NOT_WRITABLE', `the scaffold cannot be written: ${messageOf(cause)}`)
