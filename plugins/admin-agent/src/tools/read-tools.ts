import { defineTool, type JsonObject, type ToolDefinition } from '@amodal/sdk'
import { z } from 'zod'
import type { ChangeBook } from '../repo/change-book.ts'
import { readPath } from '../repo/repo-path.ts'
import { failedCall } from './tool-result.ts'

const USUAL_LINES = 2_000
const MOST_LINES = 10_000
const MOST_FILES = 20
/** Bytes of each of several files. */
const MOST_BYTES = 50_000

/** The tools that read files. What is read may be edited. */
export const readTools = (book: ChangeBook): readonly ToolDefinition[] => [
  readTool(book),
  readManyTool(book),
]

const readTool = (book: ChangeBook): ToolDefinition =>
  defineTool({
    name: 'read_repo_file',
    description: `Reads a file: ${USUAL_LINES} lines from its beginning, or from the line \`offset\`. Read a file before you edit it.`,
    readOnly: true,
    outputChars: 1_000_000,
    runningLabel: 'Reading a file',
    completedLabel: 'Read a file',
    input: z.object({
      path: z.string().max(300),
      offset: z.int().min(1).nullish().describe('The first line, from 1'),
      limit: z.int().min(1).max(MOST_LINES).nullish().describe('Lines; 2000 where it is left out'),
    }),
    execute: async ({ limit, offset, path: given }, { session }) => {
      const path = readPath(given)
      if (!path.ok) return failedCall(path.error)
      const file = await book.proposal(session).read(path.value)
      if (!file.ok) return failedCall(file.error)
      const lines = linesOf(file.value.text)
      const first = offset ?? 1
      const shown = lines.slice(first - 1, first - 1 + (limit ?? USUAL_LINES))
      const last = first - 1 + shown.length
      return {
        status: 'success',
        output: {
          content: shown.join(''),
          line_start: first,
          line_end: last,
          total_lines: lines.length,
          ...(last < lines.length && { truncated: true }),
        },
      }
    },
  })

const readManyTool = (book: ChangeBook): ToolDefinition =>
  defineTool({
    name: 'read_many_repo_files',
    description: `Reads up to ${MOST_FILES} files at once, ${MOST_BYTES / 1000} KB of each. A file that is cut there cannot be edited before it is read alone.`,
    readOnly: true,
    outputChars: MOST_FILES * MOST_BYTES * 2,
    runningLabel: 'Reading files',
    completedLabel: 'Read files',
    input: z.object({ paths: z.array(z.string().max(300)).min(1).max(MOST_FILES) }),
    execute: async ({ paths }, { session }) => {
      const proposal = book.proposal(session)
      const files: JsonObject[] = []
      for (const given of paths) {
        const path = readPath(given)
        const file = path.ok ? await proposal.look(path.value) : path
        if (!file.ok) {
          const { code, message } = file.error
          files.push({ path: given, error: message, code })
          continue
        }
        const content = start(file.value.text)
        const isCut = content.length < file.value.text.length
        if (!isCut) await proposal.read(file.value.path)
        files.push({ path: file.value.path, content, ...(isCut && { truncated: true }) })
      }
      return { status: 'success', output: { files } }
    },
  })

/** With their ends, so that a file reads as it stands. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Never part of a character. */
function start(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MOST_BYTES) return text
  let end = MOST_BYTES
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString()
}
