import {
  err,
  ok,
  type AsyncResult,
  type Failure,
  type Result,
  type ToolDefinition,
} from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import { z } from 'zod'
import { WorkspaceFileRefused } from '../errors.ts'
import type { WorkspaceFiles } from '../gate/workspace-files.ts'
import { walk, type WalkedEntry } from '../session/walk.ts'
import type { Workspaces } from '../session/workspace.ts'
import { fileTool, type FileOutput } from './file-tool.ts'
import { glob, regularExpression, type Pattern } from './linear-pattern.ts'
import { decoded, OUTPUT_CHARS } from './text.ts'

const MOST_VISITED = 50_000
const MOST_FOUND = 1_000
const SEARCHED_BYTES = 1_048_576
const LINE_CHARS = 500
/** Folders that searches pass over, unless they begin inside of one. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

const folder = z
  .string()
  .min(1)
  .max(4_096)
  .nullish()
  .describe('Folder or file below the workspace; all of it where it is left out')
const limit = z.int().min(1).max(MOST_FOUND).nullish()

/** Finds lines by a regular expression. */
export const grepTool = (workspaces: Workspaces): ToolDefinition =>
  fileTool(workspaces, {
    name: 'grep',
    description:
      'Finds lines of the texts in the workspace by a regular expression without look-around and back-references. Folders `.git` and `node_modules` are left out.',
    readOnly: true,
    runningLabel: 'Searching files',
    completedLabel: 'Searched files',
    input: z.object({
      pattern: z.string().min(1).max(1_000),
      path: folder,
      glob: z.string().min(1).max(500).nullish().describe('Files to search, such as `*.ts`'),
      ignore_case: z.boolean().nullish(),
      limit: limit.describe('Lines; 100 where it is left out'),
    }),
    work: async (args, { files }, { signal }) => {
      const pattern = regularExpression(args.pattern, args.ignore_case === true)
      if (!pattern.ok) return err(WorkspaceFileRefused(`pattern: ${pattern.error}`))
      const fits = args.glob == null ? ok(() => true) : glob(args.glob)
      if (!fits.ok) return err(WorkspaceFileRefused(`glob: ${fits.error}`))
      const entries = await entriesBelow(files, args.path ?? '.', signal)
      if (!entries.ok) return entries
      const found = new Found(args.limit ?? 100)
      for await (const { path, below, kind } of entries.value) {
        if (kind !== 'file' || !fits.value(below)) continue
        await matchingLines(files, path, pattern.value, found)
        if (found.full) break
      }
      return ok(found.output('no line fits'))
    },
  })

async function matchingLines(
  files: WorkspaceFiles,
  path: string,
  pattern: Pattern,
  found: Found,
): Promise<void> {
  // Files that are too large, binary or removed meanwhile are passed over.
  const read = await files.read(path, SEARCHED_BYTES)
  const text = read.ok ? decoded(path, read.value.bytes) : read
  if (!text.ok) return
  for (const [at, line] of text.value.split(/\r?\n/).entries()) {
    if (!pattern(line)) continue
    found.add(`${path}:${at + 1}: ${ellipsis(line, LINE_CHARS)}`)
    if (found.full) return
  }
}

/** Finds files by the form of their paths. */
export const findTool = (workspaces: Workspaces): ToolDefinition =>
  fileTool(workspaces, {
    name: 'find',
    description:
      'Finds files and folders of the workspace by a glob, such as `*.ts` in any folder, or `src/**/*.{js,ts}` below `path`.',
    readOnly: true,
    runningLabel: 'Finding files',
    completedLabel: 'Found files',
    input: z.object({
      pattern: z.string().min(1).max(500),
      path: folder,
      limit: limit.describe(`Paths; ${MOST_FOUND} where it is left out`),
    }),
    work: async (args, { files }, { signal }) => {
      const fits = glob(args.pattern)
      if (!fits.ok) return err(WorkspaceFileRefused(`pattern: ${fits.error}`))
      const entries = await entriesBelow(files, args.path ?? '.', signal)
      if (!entries.ok) return entries
      const found = new Found(args.limit ?? MOST_FOUND)
      for await (const { path, below, kind } of entries.value) {
        if (fits.value(below)) found.add(kind === 'folder' ? `${path}/` : path)
        if (found.full) break
      }
      return ok(found.output('nothing fits'))
    },
  })

/** Lists one folder. */
export const lsTool = (workspaces: Workspaces): ToolDefinition =>
  fileTool(workspaces, {
    name: 'ls',
    description: 'Lists a folder of the workspace: folders end with `/`, files have their bytes.',
    readOnly: true,
    runningLabel: 'Listing files',
    completedLabel: 'Listed files',
    input: z.object({ path: folder }),
    work: async (args, { files }) => {
      const listed = await files.list(args.path ?? '.')
      if (!listed.ok) return listed
      const found = new Found(MOST_FOUND)
      for (const { name, kind, size } of listed.value) {
        if (found.full) break
        found.add(rowOf(name, kind, size))
      }
      return ok(found.output('the folder is empty'))
    },
  })

function rowOf(name: string, kind: WalkedEntry['kind'], size: number): string {
  switch (kind) {
    case 'folder':
      return `${name}/`
    case 'file':
      return `${name}  ${size}`
    case 'link':
      return `${name}  (link, not followed)`
    case 'other':
      return `${name}  (no file)`
  }
}

interface FoundEntry extends WalkedEntry {
  /** Relative to the folder that is searched. */
  readonly below: string
}

/** A file is the only entry of itself. */
async function entriesBelow(
  files: WorkspaceFiles,
  path: string,
  signal: AbortSignal,
): AsyncResult<AsyncIterable<FoundEntry>> {
  const info = await files.info(path)
  if (!info.ok) return info
  if (info.value.kind === 'link') return refusedLink(path)
  if (info.value.kind !== 'folder') {
    const below = path.split('/').at(-1) ?? path
    return ok(only({ path, below, ...info.value }))
  }
  return ok(named(walk(files, path, { most: MOST_VISITED, signal, skipped: SKIPPED }), path))
}

const refusedLink = (path: string): Result<never, Failure> =>
  err(WorkspaceFileRefused(`${JSON.stringify(path)} is a link, which is not followed`))

async function* only(entry: FoundEntry): AsyncGenerator<FoundEntry> {
  yield entry
}

async function* named(
  entries: AsyncIterable<WalkedEntry>,
  folderPath: string,
): AsyncGenerator<FoundEntry> {
  const skip = folderPath === '.' ? 0 : folderPath.replace(/\/+$/, '').length + 1
  for await (const entry of entries) yield { ...entry, below: entry.path.slice(skip) }
}

/** Rows of a result, as many as fit. */
class Found {
  readonly #rows: string[] = []
  readonly #most: number
  #chars = 0
  #more = false

  constructor(most: number) {
    this.#most = most
  }

  get full(): boolean {
    return this.#more
  }

  add(row: string): void {
    this.#chars += row.length + 1
    if (this.#rows.length >= this.#most || this.#chars > OUTPUT_CHARS) this.#more = true
    else this.#rows.push(row)
  }

  output(none: string): FileOutput {
    if (this.#rows.length === 0) return { output: none }
    const rest = this.#more ? ['… there are more: search in a smaller folder, or more exactly'] : []
    return { output: [...this.#rows, ...rest].join('\n') }
  }
}
