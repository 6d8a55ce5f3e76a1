import { err, ok, type ToolDefinition } from '@amodal/sdk'
import { z } from 'zod'
import { WorkspaceEditRefused } from '../errors.ts'
import type { Workspaces } from '../session/workspace.ts'
import { fileTool, path } from './file-tool.ts'
import { replaceIn } from './replacement.ts'
import { decoded, encoded, FILE_BYTES, hashOf, unchanged } from './text.ts'

/** Replaces a part of a file. */
export const editTool = (workspaces: Workspaces): ToolDefinition =>
  fileTool(workspaces, {
    name: 'edit',
    description:
      'Replaces text of a file of the workspace. `old_string` has to be in it exactly once, with its indentation and without line numbers; with `replace_all` all places are replaced.',
    readOnly: false,
    runningLabel: 'Editing a file',
    completedLabel: 'Edited a file',
    input: z.object({
      path,
      old_string: z.string().min(1).max(500_000),
      new_string: z.string().max(500_000),
      replace_all: z.boolean().nullish(),
      hash: z
        .string()
        .nullish()
        .describe('Hash of the file as it was read: refused where it has changed since'),
    }),
    work: async (args, { files }) => {
      const read = await files.read(args.path, FILE_BYTES)
      if (!read.ok) return read
      const { bytes } = read.value
      const current = unchanged(args.path, bytes, args.hash)
      if (!current.ok) return current
      const text = decoded(args.path, bytes)
      if (!text.ok) return text
      const edited = replaceIn(text.value, {
        old: args.old_string,
        new: args.new_string,
        all: args.replace_all === true,
      })
      if (!edited.ok)
        return err(WorkspaceEditRefused(`${JSON.stringify(args.path)}: ${edited.error}`))
      const written = await files.write(args.path, encoded(edited.value.text))
      if (!written.ok) return written
      const { count } = edited.value
      const hash = hashOf(encoded(edited.value.text))
      const places = count === 1 ? '1 place' : `${count} places`
      return ok({ output: `${args.path}: ${places} replaced, hash ${hash}` })
    },
  })
