import {
  defineTool,
  readEntries,
  type Failure,
  type SessionStore,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import type { ArtifactTable } from './artifact-table.ts'
import { CitationInput, cited } from './citation.ts'

const fields = {
  content_markdown: z.string().optional().describe('The content as Markdown'),
  content_json: z
    .record(z.string(), jsonValue)
    .optional()
    .describe('The content as data, beside the Markdown or in place of it'),
  tags: z.array(z.string().max(100)).max(50).optional(),
  citations: z
    .array(CitationInput)
    .max(200)
    .default([])
    .describe('Where what it says comes from; each quote must stand in something that was read'),
}
const create = z.object({
  type: z.string().min(1).max(100).describe('What kind of thing it is, such as research_report'),
  title: z.string().min(1).max(500),
  ...fields,
})
const update = z.object({
  artifact_id: z.string().min(1).max(100).describe('What `artifacts_create` answered with'),
  title: z.string().min(1).max(500).optional(),
  ...fields,
})

type Draft = Omit<z.output<typeof create>, 'type' | 'title'> & {
  readonly type?: string
  readonly title?: string | undefined
  readonly artifact_id?: string
}

/** What stays the same of both tools. The key of a call makes a repeat of it the same version. */
const shape = { readOnly: false, keyed: true, taint: 'ignore' } as const

/** Tools that write artifacts. They change nothing but the artifacts of the caller's tenant. */
export function artifactTools(
  artifacts: ArtifactTable,
  sessions: SessionStore,
): readonly ToolDefinition[] {
  const write = async (draft: Draft, ctx: ToolContext): Promise<ToolResult> => {
    if (draft.content_markdown === undefined && draft.content_json === undefined)
      return { status: 'error', message: 'content_markdown: give it, or content_json, or both' }
    const ref = { tenant: ctx.tenant, session: ctx.session }
    const stored = await sessions.entries(ref, { after: 0 }, ctx.signal)
    const entries = stored.ok ? readEntries(stored.value) : stored
    if (!entries.ok) return failedWith(entries.error)
    const citations = cited(draft.citations, entries.value)
    if (!citations.ok) return { status: 'error', message: citations.error }
    const written = await artifacts.write(
      ctx.tenant,
      {
        session: ctx.session,
        principal: ctx.principal,
        callKey: ctx.key,
        citations: citations.value,
        ...(draft.artifact_id !== undefined && { id: draft.artifact_id }),
        ...(draft.type !== undefined && { type: draft.type }),
        ...(draft.title !== undefined && { title: draft.title }),
        ...(draft.tags && { tags: draft.tags }),
        ...(draft.content_markdown !== undefined && { markdown: draft.content_markdown }),
        ...(draft.content_json && { json: draft.content_json }),
      },
      ctx.lease,
    )
    if (!written.ok) return failedWith(written.error)
    const { id, version, hash } = written.value
    return { status: 'success', output: { artifact_id: id, version, hash } }
  }
  return [
    defineTool({
      ...shape,
      name: 'artifacts_create',
      description:
        'Keeps what you have made, such as a report or a draft, where people and programs can fetch it.',
      runningLabel: 'Writing',
      completedLabel: 'Written',
      input: create,
      execute: write,
    }),
    defineTool({
      ...shape,
      name: 'artifacts_update',
      description: 'Keeps a new version of an artifact. Earlier versions stay.',
      runningLabel: 'Writing',
      completedLabel: 'Written',
      input: update,
      execute: write,
    }),
  ]
}

const failedWith = ({ code, message }: Failure): ToolResult => ({ status: 'error', message, code })
