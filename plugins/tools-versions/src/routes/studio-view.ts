import { failure, ok, type Caller, type Failure, type Result, type RouteHandler } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import { describeRoutes, failed } from '@amodal/plugin-http/tokens'
import {
  recordList,
  widgetViewDoc,
  type RecordCell,
  type RecordList,
  type WidgetView,
} from '@amodal/plugin-studio/tokens'
import { z } from 'zod'
import type { InvocationRow } from '../storage/invocation-store.ts'
import type { ToolRow, VersionRow } from '../tables.ts'
import type { ToolService } from '../tool-service.ts'
import { compareVersions, versionText } from '../versions.ts'
import { readQuery } from './requests.ts'

export const STUDIO_VIEW: WidgetView = {
  title: 'Org tools',
  icon: 'connections',
  route: '/api/studio/tools',
  scope: 'tools',
}

const TOOLS = 20
const VERSIONS = 20
const INVOCATIONS = 25
const MOST_CHARS = 160

const Query = z.object({
  tool: z.string().max(200).optional().describe('Id of a tool: its versions and invocations'),
  query: z.string().trim().min(1).max(500).optional().describe('Words of the invocations'),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
type Query = z.output<typeof Query>
type Outcome<T> = Promise<Result<T, Failure>>

/** Tools with their versions, and what came of their invocations. */
export const studioRoute = (service: ToolService): RouteHandler =>
  describeRoutes(
    {
      async fetch(request, context) {
        if (request.method !== 'GET')
          return failed(failure('NOT_FOUND', 'there is nothing at this path'))
        const query = readQuery(request.url, Query)
        if (!query.ok) return failed(query.error)
        const caller = context.caller()
        if (!caller.ok) return failed(caller.error)
        const lists = await listsOf(service, caller.value, query.value, context.signal)
        return lists.ok
          ? Response.json({ widgets: lists.value.map(recordList) })
          : failed(lists.error)
      },
    },
    { 'GET /api/studio/tools': widgetViewDoc('versioned tools, as the studio shows them', Query) },
  )

async function listsOf(
  service: ToolService,
  caller: Caller,
  query: Query,
  signal: AbortSignal,
): Outcome<readonly RecordList[]> {
  const above = await (query.tool === undefined
    ? toolList(service, caller, signal)
    : versionList(service, caller, query.tool, signal))
  if (!above.ok) return above
  const below = await invocationList(service, caller, query, signal)
  return below.ok ? ok([...(isLater(query) ? [] : [above.value]), below.value]) : below
}

/** Whether what is asked for is about invocations alone. */
const isLater = ({ query, offset }: Query): boolean => query !== undefined || offset > 0

async function toolList(
  service: ToolService,
  caller: Caller,
  signal: AbortSignal,
): Outcome<RecordList> {
  const filter = { ids: [], deprecated: undefined, tags: [], order: [BY_NAME] }
  const page = await service.list(caller, filter, { limit: TOOLS, offset: 0 }, signal)
  if (!page.ok) return page
  const names = page.value.items.map(({ name }) => name)
  const published = await service.published(caller, names, signal)
  if (!published.ok) return published
  const newest = (tool: ToolRow): string => {
    const last = published.value
      .filter((version) => version.tool === tool.id)
      .toSorted(compareVersions)
      .at(-1)
    return last ? versionText(last) : 'none'
  }
  return ok({
    title: page.value.hasMore ? `The first ${TOOLS} tools` : 'Tools',
    columns: ['Tool', 'What it does', 'Newest version', 'State', 'Changed'],
    records: page.value.items.map((tool) => ({
      cells: [
        { text: tool.name, open: { tool: tool.id } },
        ellipsis(tool.description, MOST_CHARS),
        newest(tool),
        stateOf(tool),
        { time: tool.updated_at.toISOString() },
      ],
    })),
    empty: `No tool was created yet: POST /v1/${caller.tenant}/tool creates one.`,
  })
}

const BY_NAME = { by: 'name', direction: 'asc' } as const

async function versionList(
  service: ToolService,
  caller: Caller,
  tool: string,
  signal: AbortSignal,
): Outcome<RecordList> {
  const filter = { deprecated: undefined, constraint: undefined, creators: [], order: [NEWEST] }
  const page = await service.versions(caller, tool, filter, { limit: VERSIONS, offset: 0 }, signal)
  if (!page.ok) return page
  return ok({
    title: page.value.hasMore ? `The newest ${VERSIONS} versions` : 'Versions',
    columns: ['Version', 'What it does', 'Branch', 'Commit', 'Published by', 'State', 'Published'],
    records: page.value.items.map((version) => ({ cells: versionCells(version) })),
    empty: 'No version was published yet.',
  })
}

const NEWEST = { by: 'version', direction: 'desc' } as const
const COMMIT_CHARS = 10

const versionCells = (version: VersionRow): readonly (string | RecordCell)[] => [
  versionText(version),
  ellipsis(version.description, MOST_CHARS),
  `${version.repo}/${version.branch}`,
  version.revision.slice(0, COMMIT_CHARS),
  version.creator,
  stateOf(version),
  { time: version.created_at.toISOString() },
]

const stateOf = ({ deprecated }: { readonly deprecated: boolean }): RecordCell =>
  deprecated ? { text: 'deprecated', tone: 'warn' } : { text: 'in use', tone: 'good' }

async function invocationList(
  service: ToolService,
  caller: Caller,
  { tool, query, offset }: Query,
  signal: AbortSignal,
): Outcome<RecordList> {
  const filter = {
    tool,
    constraint: undefined,
    source: undefined,
    conversation: undefined,
    succeeded: undefined,
  }
  const window = { limit: INVOCATIONS, offset }
  const page = await service.history(caller, query, filter, window, signal)
  if (!page.ok) return page
  const { items, hasMore } = page.value
  const here = { ...(tool !== undefined && { tool }), ...(query !== undefined && { query }) }
  return ok({
    title: query === undefined ? 'Invocations' : `Invocations with “${query}”`,
    columns: ['When', 'Version', 'From', 'Result', 'Input', 'Output or error', 'ms', 'By'],
    records: items.map((row) => ({ cells: invocationCells(row) })),
    empty: query === undefined ? 'Nothing was invoked yet.' : 'No invocation has these words.',
    search: {
      label: 'Search outputs and errors',
      parameter: 'query',
      ...(query !== undefined && { value: query }),
      ...(tool !== undefined && { query: { tool } }),
    },
    ...(hasMore && { older: { ...here, offset: String(offset + items.length) } }),
  })
}

const invocationCells = (row: InvocationRow): readonly (string | RecordCell)[] => [
  { time: row.at.toISOString() },
  row.version ?? 'a branch',
  row.conversation === null ? row.source : { text: row.source, session: row.conversation },
  RESULTS[row.status],
  ellipsis(row.input, MOST_CHARS),
  ellipsis(row.error ?? row.output ?? '', MOST_CHARS),
  row.ms === null ? '' : String(row.ms),
  row.principal,
]

const RESULTS = {
  running: { text: 'running', tone: 'warn' },
  succeeded: { text: 'succeeded', tone: 'good' },
  failed: { text: 'failed', tone: 'bad' },
} as const satisfies Record<InvocationRow['status'], RecordCell>
