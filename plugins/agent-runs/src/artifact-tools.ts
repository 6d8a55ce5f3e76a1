import {
  defineTool,
  failure,
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
import { artifactView } from './artifact-view.ts'
import { CitationInput, citationsWithSources } from './citation.ts'

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
const artifactId = z.string().min(1).max(100)
const update = z.object({
  artifact_id: artifactId.describe('The `artifact_id` that `artifacts_create` returned'),
  title: z.string().min(1).max(500).optional(),
  ...fields,
})

const get = z.object({
  artifact_id: artifactId,
  version: z.int().min(1).optional().describe('The newest by default'),
})
const list = z.object({
  type: z.string().min(1).max(100).optional().describe('Only artifacts of this type'),
  limit: z.int().min(1).max(100).default(20),
})

type Draft = Omit<z.output<typeof create>, 'type' | 'title'> & {
  readonly type?: string
  readonly title?: string | undefined
  readonly artifact_id?: string
}

/** What stays the same of both tools. The key of a call makes a repeat of it the same version. */
const shape = { readOnly: false, keyed: true, taint: 'ignore' } as const

/**
 * Tools that write and read artifacts. They change nothing but artifacts, and see those alone that
 * runs of the same principal wrote.
 */
export const artifactTools = (
  artifacts: ArtifactTable,
  sessions: SessionStore,
): readonly ToolDefinition[] => [...writers(artifacts, sessions), ...readers(artifacts)]

function writers(artifacts: ArtifactTable, sessions: SessionStore): readonly ToolDefinition[] {
  const write = async (draft: Draft, ctx: ToolContext): Promise<ToolResult> => {
    if (draft.content_markdown === undefined && draft.content_json === undefined)
      return { status: 'error', message: 'content_markdown: give it, or content_json, or both' }
    const ref = { tenant: ctx.tenant, session: ctx.session }
    const stored = await sessions.entries(ref, { after: 0 }, ctx.signal)
    const entries = stored.ok ? readEntries(stored.value) : stored
    if (!entries.ok) return failedWith(entries.error)
    const sources = { entries: entries.value, documents: ctx.bundle.knowledge }
    const citations = citationsWithSources(draft.citations, sources)
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
        'Stores a report, a draft or another result where people and programs can fetch it.',
      runningLabel: 'Writing',
      completedLabel: 'Written',
      input: create,
      execute: write,
    }),
    defineTool({
      ...shape,
      name: 'artifacts_update',
      description: 'Stores a new version of an artifact. Earlier versions stay.',
      runningLabel: 'Writing',
      completedLabel: 'Written',
      input: update,
      execute: write,
    }),
  ]
}

function readers(artifacts: ArtifactTable): readonly ToolDefinition[] {
  return [
    defineTool({
      name: 'artifacts_get',
      description: 'Returns an artifact with its content and citations.',
      readOnly: true,
      input: get,
      execute: async ({ artifact_id: id, version }, ctx) => {
        const stored = await artifacts.find(ctx.tenant, id, version)
        if (!stored.ok) return failedWith(stored.error)
        const row = stored.value
        return row && row.principal === ctx.principal
          ? { status: 'success', output: artifactView(row, undefined) }
          : failedWith(failure('NOT_FOUND', `there is no artifact "${id}": see artifacts_list`))
      },
    }),
    defineTool({
      name: 'artifacts_list',
      description: 'Lists artifacts that were stored earlier, the newest first.',
      readOnly: true,
      input: list,
      execute: async ({ type, limit }, ctx) => {
        const rows = await artifacts.ofPrincipal(ctx.tenant, ctx.principal, { type, limit })
        if (!rows.ok) return failedWith(rows.error)
        return {
          status: 'success',
          output: rows.value.map(({ created_at, ...row }) => ({
            ...row,
            created_at: created_at.toISOString(),
          })),
        }
      },
    }),
  ]
}

const failedWith = ({ code, message }: Failure): ToolResult => ({ status: 'error', message, code })
