import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import { defineTool, messageOf, trySync, type Result, type ToolDefinition } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import picomatch from 'picomatch'
import { z } from 'zod'
import type { ChangeBook } from '../repo/change-book.ts'
import { readPath } from '../repo/repo-path.ts'
import { failedCall } from './tool-result.ts'

const MOST_LISTED = 2_000
const MOST_FOUND = 500
const MOST_MATCHES = 100
const LINE_CHARS = 300

// Loaded by the first search.
const load = createRequire(import.meta.url)

/** The tools that find files: by folder, by the form of their paths, by what stands in them. */
export const findTools = (book: ChangeBook): readonly ToolDefinition[] => [
  listTool(book),
  globTool(book),
  grepTool(book),
]

const listTool = (book: ChangeBook): ToolDefinition =>
  defineTool({
    name: 'list_repo_files',
    description:
      'Lists the files of the agent, those of one folder where `dir` names one. Use it before you read or edit: do not guess paths.',
    readOnly: true,
    runningLabel: 'Listing files',
    completedLabel: 'Listed files',
    input: z.object({
      dir: z.string().max(300).nullish().describe('A folder, such as skills; left out: all'),
    }),
    execute: async ({ dir }, { session }) => {
      const folder = dir == null || dir === '.' || dir === '' ? undefined : readPath(dir)
      if (folder?.ok === false) return failedCall(folder.error)
      const all = await book.proposal(session).list()
      const files = folder ? all.filter((path) => path.startsWith(`${folder.value}/`)) : all
      return { status: 'success', output: cut({ files }, 'files', MOST_LISTED) }
    },
  })

const globTool = (book: ChangeBook): ToolDefinition =>
  defineTool({
    name: 'glob_repo_files',
    description:
      'Finds files by the form of their path, such as `**/SKILL.md`, `connections/*/spec.json` or `knowledge/*.md`.',
    readOnly: true,
    runningLabel: 'Looking for files',
    completedLabel: 'Looked for files',
    input: z.object({ pattern: z.string().min(1).max(200) }),
    execute: async ({ pattern }, { session }) => {
      const matches = trySync(() => picomatch(pattern, { nonegate: true }), messageOf)
      if (!matches.ok) return { status: 'error', message: `pattern: ${matches.error}` }
      const files = (await book.proposal(session).list()).filter((path) => matches.value(path))
      return { status: 'success', output: cut({ files }, 'files', MOST_FOUND) }
    },
  })

const grepTool = (book: ChangeBook): ToolDefinition =>
  defineTool({
    name: 'grep_repo_files',
    description:
      'Finds lines by a regular expression, in all files or in those below `dir`. The fastest way to the file that holds a word.',
    readOnly: true,
    runningLabel: 'Searching files',
    completedLabel: 'Searched files',
    input: z.object({
      pattern: z.string().min(1).max(500).describe('A regular expression; (?i) ignores case'),
      dir: z.string().max(300).nullish(),
    }),
    execute: async ({ dir, pattern }, { session, signal }) => {
      const folder = dir == null || dir === '.' || dir === '' ? undefined : readPath(dir)
      if (folder?.ok === false) return failedCall(folder.error)
      const found = compiled(pattern)
      if (!found.ok) return { status: 'error', message: `pattern: ${found.error}` }
      const proposal = book.proposal(session)
      const matches: { file: string; line_number: number; text: string }[] = []
      for (const path of await proposal.list()) {
        signal.throwIfAborted()
        if (folder && !path.startsWith(`${folder.value}/`)) continue
        const file = await proposal.look(path)
        if (!file.ok) continue
        for (const [index, line] of file.value.text.split(/\r?\n/).entries())
          if (found.value(line))
            matches.push({ file: path, line_number: index + 1, text: ellipsis(line, LINE_CHARS) })
        if (matches.length > MOST_MATCHES) break
      }
      return { status: 'success', output: cut({ matches }, 'matches', MOST_MATCHES) }
    },
  })

/** Runs in linear time, whatever the pattern says. */
const compiled = (pattern: string): Result<(line: string) => boolean, string> =>
  trySync(() => {
    const { RE2JS } = load('re2js') as typeof Re2
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return (line: string): boolean => expression.matcher(line).find()
  }, messageOf)

function cut<K extends string, T>(
  output: Readonly<Record<K, readonly T[]>>,
  name: K,
  most: number,
): { [key: string]: T[] | boolean } {
  const all = output[name]
  return { [name]: all.slice(0, most), ...(all.length > most && { truncated: true }) }
}
