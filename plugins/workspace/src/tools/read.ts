import { err, imageTypeOf, ok, type AsyncResult, type ToolDefinition } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import { z } from 'zod'
import { WorkspaceFileRefused } from '../errors.ts'
import type { Workspaces } from '../session/workspace.ts'
import { fileTool, path, type FileOutput } from './file-tool.ts'
import { decoded, FILE_BYTES, hashOf, OUTPUT_CHARS } from './text.ts'

const MOST_LINES = 2_000
const LINE_CHARS = 2_000

/** Shows a text with the numbers of its lines, or an image. */
export const readTool = (workspaces: Workspaces): ToolDefinition =>
  fileTool(workspaces, {
    name: 'read',
    description:
      'Reads a file of the workspace. A text comes with line numbers, which are no part of it; the first line of the result has the hash of the file, for `edit` and `write`. Images are shown. Use `offset` and `limit` for large files.',
    readOnly: true,
    runningLabel: 'Reading a file',
    completedLabel: 'Read a file',
    input: z.object({
      path,
      offset: z.int().min(1).nullish().describe('First line; 1 where it is left out'),
      limit: z.int().min(1).max(MOST_LINES).nullish().describe(`Lines; at most ${MOST_LINES}`),
    }),
    work: async (args, { files }) => {
      const read = await files.read(args.path, FILE_BYTES)
      if (!read.ok) return read
      const { bytes } = read.value
      const mimeType = imageTypeOf(Buffer.from(bytes.subarray(0, 24)).toString('base64'))
      if (mimeType !== undefined) return image(args.path, bytes, mimeType)
      const text = decoded(args.path, bytes)
      if (!text.ok) return text
      return numbered(text.value, hashOf(bytes), args)
    },
  })

async function image(name: string, bytes: Uint8Array, mimeType: string): AsyncResult<FileOutput> {
  return ok({
    output: `${name} is an image: ${mimeType}, ${bytes.length} bytes`,
    content: [{ type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType }],
  })
}

interface Range {
  readonly path: string
  readonly offset?: number | null | undefined
  readonly limit?: number | null | undefined
}

async function numbered(text: string, hash: string, range: Range): AsyncResult<FileOutput> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const first = range.offset ?? 1
  if (first > Math.max(1, lines.length))
    return err(
      WorkspaceFileRefused(`${JSON.stringify(range.path)} has ${lines.length} lines: no ${first}`),
    )
  const shown: string[] = []
  let chars = 0
  for (const line of lines.slice(first - 1, first - 1 + (range.limit ?? MOST_LINES))) {
    const row = `${first + shown.length}\t${ellipsis(line.replace(/\r$/, ''), LINE_CHARS)}`
    chars += row.length + 1
    if (chars > OUTPUT_CHARS) break
    shown.push(row)
  }
  const next = first + shown.length
  const rest =
    next <= lines.length
      ? [`… ${lines.length - next + 1} lines more: read with offset ${next}`]
      : []
  const head = `${range.path}: ${lines.length} lines, hash ${hash}`
  return ok({ output: [head, ...shown, ...rest].join('\n') })
}
