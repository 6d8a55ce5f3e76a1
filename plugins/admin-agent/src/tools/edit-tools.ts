import {
  defineTool,
  err,
  ok,
  type Failure,
  type JsonObject,
  type Result,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { z } from 'zod'
import { EditRefused } from '../errors.ts'
import type { ChangeBook } from '../repo/change-book.ts'
import type { Proposal } from '../repo/proposal.ts'
import { carriesRights, readOwnPath } from '../repo/repo-path.ts'
import { lineOf, type RightsReport } from '@amodal/plugin-rights/tokens'
import type { RightsComparison } from '../rights/rights-comparison.ts'
import { failedCall } from './tool-result.ts'

/**
 * The tools that propose changes. Nothing is written by them: a person accepts what a session has
 * proposed, so untrusted text in a file can cause no more than a proposal.
 */
export const editTools = (
  book: ChangeBook,
  rights: RightsComparison,
): readonly ToolDefinition[] => {
  const parts = { book, rights }
  return [editTool(parts), writeTool(parts), deleteTool(parts)]
}

interface Parts {
  readonly book: ChangeBook
  readonly rights: RightsComparison
}

const PROPOSES = { readOnly: false, keyed: true, taint: 'ignore' } as const

const editTool = (parts: Parts): ToolDefinition =>
  defineTool({
    ...PROPOSES,
    name: 'edit_repo_file',
    description:
      'Proposes to replace text of a file. `old_string` has to stand in it exactly once, with its spaces and line ends; with `allow_multiple` all places are replaced. Keeps everything else as it is.',
    runningLabel: 'Editing a file',
    completedLabel: 'Proposed an edit',
    input: z.object({
      path: z.string().max(300),
      old_string: z.string().min(1).max(200_000),
      new_string: z.string().max(200_000),
      allow_multiple: z.boolean().nullish(),
    }),
    execute: (args, ctx) =>
      proposing(parts, ctx, args.path, async (proposal, path) => {
        const file = await proposal.look(path)
        if (!file.ok) return file
        const { text } = file.value
        const edited = replaced(text, args)
        if (!edited.ok) return err(EditRefused(`${path}: ${edited.error}`))
        const written = await proposal.write(path, edited.value.text)
        if (!written.ok) return written
        return ok({
          edited: path,
          occurrences: edited.value.count,
          bytes_before: Buffer.byteLength(text),
          bytes_after: Buffer.byteLength(edited.value.text),
        })
      }),
  })

const writeTool = (parts: Parts): ToolDefinition =>
  defineTool({
    ...PROPOSES,
    name: 'write_repo_file',
    description:
      'Proposes a new file, or another text for all of a file that you have read. To change a part of a file, use edit_repo_file.',
    runningLabel: 'Writing a file',
    completedLabel: 'Proposed a file',
    input: z.object({ path: z.string().max(300), content: z.string().max(1_000_000) }),
    execute: ({ content, path: given }, ctx) =>
      proposing(parts, ctx, given, async (proposal, path) => {
        const written = await proposal.write(path, content)
        return written.ok
          ? ok({
              written: path,
              created: written.value.before === null,
              bytes: Buffer.byteLength(content),
            })
          : written
      }),
  })

const deleteTool = (parts: Parts): ToolDefinition =>
  defineTool({
    ...PROPOSES,
    name: 'delete_repo_file',
    description: 'Proposes to remove a file that you have read.',
    runningLabel: 'Removing a file',
    completedLabel: 'Proposed to remove a file',
    input: z.object({ path: z.string().max(300) }),
    execute: ({ path: given }, ctx) =>
      proposing(parts, ctx, given, async (proposal, path) => {
        const removed = await proposal.remove(path)
        return removed.ok ? ok({ deleted: path }) : removed
      }),
  })

const WAITS = 'It is proposed: nothing is written until the person accepts it.'

/** One after the other within a session, and once for each key. */
function proposing(
  { book, rights }: Parts,
  { key, session }: ToolContext,
  given: string,
  work: (proposal: Proposal, path: string) => Promise<Result<JsonObject, Failure>>,
): Promise<ToolResult> {
  return book.inTurn(async () => {
    const proposal = book.proposal(session)
    const before = proposal.resultOf(key)
    if (before) return { status: 'success', output: before }
    const path = readOwnPath(given)
    const result = path.ok ? await work(proposal, path.value) : path
    if (!result.ok) return failedCall(result.error)
    const report = path.ok && carriesRights(path.value) && (await rights.of(proposal.files))
    const output: JsonObject = {
      ...result.value,
      note: WAITS,
      ...(report && { rights: rightsNote(report) }),
    }
    proposal.storeResult(key, output)
    return { status: 'success', output }
  })
}

/** Lines of a note, so that a result stays short. */
const MOST_LINES = 30

/** What the proposal as it stands does to rights: for the model to say to the person. */
const rightsNote = ({ changes, problems }: RightsReport): JsonObject => ({
  changes: changes.slice(0, MOST_LINES).map(lineOf),
  ...(changes.length > MOST_LINES && { and_more: changes.length - MOST_LINES }),
  ...(problems.length > 0 && { problems: problems.slice(0, MOST_LINES) }),
})

interface Edit {
  readonly old_string: string
  readonly new_string: string
  readonly allow_multiple?: boolean | null | undefined
}

/** Replaces literally. Where all line ends of the file are CRLF, those of the edit become so. */
function replaced(
  text: string,
  { allow_multiple: several, new_string: after, old_string: before }: Edit,
): Result<{ readonly text: string; readonly count: number }, string> {
  const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text)
  const ended = (part: string): string => (isCrlf ? part.replaceAll(/\r?\n/g, '\r\n') : part)
  const parts = text.split(ended(before))
  const count = parts.length - 1
  if (count === 0) return err('`old_string` does not stand in it; read the file, and copy it')
  if (count > 1 && several !== true)
    return err(
      `\`old_string\` stands in it ${count} times; take more of what is around it, or set allow_multiple`,
    )
  if (before === after) return err('`old_string` and `new_string` are the same')
  return ok({ text: parts.join(ended(after)), count })
}
