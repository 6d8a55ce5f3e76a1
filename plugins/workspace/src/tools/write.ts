import { ok, type ToolDefinition } from '@amodal/sdk'
import { z } from 'zod'
import type { Workspaces } from '../session/workspace.ts'
import { fileTool, path } from './file-tool.ts'
import { encoded, FILE_BYTES, hashOf, unchanged } from './text.ts'

/** Creates or replaces a file. */
export const writeTool = (workspaces: Workspaces): ToolDefinition =>
  fileTool(workspaces, {
    name: 'write',
    description:
      'Writes a whole file of the workspace; its folders are created. To change a part of a file, use `edit`.',
    readOnly: false,
    runningLabel: 'Writing a file',
    completedLabel: 'Wrote a file',
    input: z.object({
      path,
      content: z.string().max(2_000_000),
      hash: z
        .string()
        .nullish()
        .describe('Hash of the file as it was read: refused where it has changed since'),
    }),
    work: async (args, { files }) => {
      if (args.hash != null) {
        const present = await files.read(args.path, FILE_BYTES)
        if (!present.ok) return present
        const current = unchanged(args.path, present.value.bytes, args.hash)
        if (!current.ok) return current
      }
      const bytes = encoded(args.content)
      const written = await files.write(args.path, bytes)
      if (!written.ok) return written
      return ok({
        output: `${args.path}: ${bytes.length} bytes written, hash ${hashOf(bytes)}`,
      })
    },
  })
