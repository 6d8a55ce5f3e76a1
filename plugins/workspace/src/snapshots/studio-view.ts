import {
  failure,
  ok,
  trySync,
  type Agent,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { describeRoutes, failed, problems } from '@amodal/plugin-http/tokens'
import {
  fileDiff,
  recordList,
  widgetViewDoc,
  type FileDiff,
  type RecordList,
  type WidgetView,
} from '@amodal/plugin-studio/tokens'
import { z } from 'zod'
import { diff } from '../diff.ts'
import { differenceOf, type Difference } from './difference.ts'
import { foundWorkspace, manifestOf, type FoundWorkspace } from './found-workspace.ts'
import { EMPTY } from './manifest.ts'
import type { SnapshottedWorkspaces } from './snapshotted-workspaces.ts'

export const STUDIO_VIEW: WidgetView = {
  title: 'Workspaces',
  icon: 'file',
  route: '/api/studio/workspaces',
  scope: 'sessions',
}

const MOST_SESSIONS = 50
const MOST_FILES = 500
const MOST_DIFFS = 50

const Query = z.object({
  session: z.string().max(200).optional().describe('Its files, its runs and what they changed'),
  run: z.string().max(200).optional().describe('What this run changed'),
})
type Widgets = readonly (ReturnType<typeof recordList> | ReturnType<typeof fileDiff>)[]
type Outcome<T> = Promise<Result<T, Failure>>

/** Workspaces with their files, and what each run has changed. */
export const studioRoute = (agent: Agent, workspaces: SnapshottedWorkspaces): RouteHandler =>
  describeRoutes(
    {
      async fetch(request, context) {
        if (request.method !== 'GET')
          return failed(failure('NOT_FOUND', 'there is nothing at this path'))
        const parameters = Object.fromEntries(new URL(request.url).searchParams)
        const query = Query.safeParse(parameters)
        if (!query.success) return failed(failure('VALIDATION_ERROR', problems(query.error)))
        const { session, run } = query.data
        const widgets = await (session === undefined
          ? sessionList(context, workspaces)
          : sessionWidgets(context, session, run, agent, workspaces))
        return widgets.ok ? Response.json({ widgets: widgets.value }) : failed(widgets.error)
      },
    },
    { 'GET /api/studio/workspaces': widgetViewDoc('workspaces, as the studio shows them', Query) },
  )

async function sessionList(
  context: RouteContext,
  workspaces: SnapshottedWorkspaces,
): Outcome<Widgets> {
  const caller = context.caller()
  if (!caller.ok) return caller
  const { tenant, principal, ownSessionsOnly } = caller.value
  const recent = await workspaces
    .store(tenant)
    .recent(ownSessionsOnly === true ? principal : undefined, MOST_SESSIONS, context.signal)
  if (!recent.ok) return recent
  return ok([
    recordList({
      title: 'Workspaces',
      columns: ['Workspace', 'Changed', 'Files', 'Size', 'By', 'Conversation'],
      records: recent.value.map((row) => ({
        cells: [
          { text: row.session, open: { session: row.session } },
          { time: row.created_at.toISOString() },
          String(row.files),
          sizeText(Number(row.bytes)),
          row.principal,
          { text: 'open', session: row.session },
        ],
      })),
      empty: 'No conversation has a workspace: `workspace` in amodal.json gives each of them one.',
    }),
  ])
}

async function sessionWidgets(
  context: RouteContext,
  id: string,
  run: string | undefined,
  agent: Agent,
  workspaces: SnapshottedWorkspaces,
): Outcome<Widgets> {
  const found = await foundWorkspace(context, id, agent, workspaces)
  if (!found.ok) return found
  const ends = await endsOf(found.value, run, context.signal)
  if (!ends.ok) return ends
  const { store } = found.value
  const [before, after] = ends.value
  const old = before === undefined ? ok(EMPTY) : await manifestOf(store, before, context.signal)
  if (!old.ok) return old
  const now = after === undefined ? ok(EMPTY) : await manifestOf(store, after, context.signal)
  if (!now.ok) return now
  const difference = await differenceOf(old.value, now.value, store, context.signal)
  if (!difference.ok) return difference
  const files = Object.entries(now.value).flatMap(([path, entry]) =>
    entry.kind === 'file' ? [{ cells: [path, sizeText(entry.size)] }] : [],
  )
  const list: RecordList = {
    title: files.length > MOST_FILES ? `The first ${MOST_FILES} files` : 'Files',
    columns: ['File', 'Size'],
    records: files.slice(0, MOST_FILES),
    empty: 'The workspace is empty.',
  }
  return ok([
    recordList(runList(found.value)),
    ...diffsOf(difference.value).map(fileDiff),
    recordList(list),
  ])
}

/** Snapshots between which is compared: around a run, or the first and the last. */
async function endsOf(
  { snapshots, store, session }: FoundWorkspace,
  run: string | undefined,
  signal: AbortSignal,
): Outcome<readonly [string | undefined, string | undefined]> {
  if (run === undefined) return ok([snapshots.at(-1)?.id, snapshots[0]?.id])
  const around = await store.aroundRun(session, run, signal)
  return around.ok ? ok([around.value.before, around.value.after]) : around
}

/** Runs that changed something; the last one can be taken back. */
function runList({ session, snapshots }: FoundWorkspace): RecordList {
  const newest = new Map(
    snapshots.toReversed().flatMap((one) => (one.run === null ? [] : [[one.run, one] as const])),
  )
  const runs = [...newest.entries()].toReversed()
  return {
    title: 'Runs that changed it',
    columns: ['Run', 'When', 'Files', 'Size'],
    records: runs.map(([run, { created_at: at, files, bytes }], index) => ({
      cells: [
        { text: run, open: { session, run } },
        { time: at.toISOString() },
        String(files),
        sizeText(Number(bytes)),
      ],
      ...(index === 0 && {
        actions: [
          {
            label: 'Take back',
            path: `/sessions/${session}/workspace/undo`,
            body: { run },
            confirm: 'Make the workspace what it was before this run?',
          },
        ],
      }),
    })),
    empty: 'No run has changed it.',
  }
}

/** Each file with its lines; one whose lines are not compared with a note. */
function diffsOf({ files, patch }: Difference): readonly FileDiff[] {
  // lines of files begin with a sign
  const texts = patch.replaceAll(/^Binary files .* differ\n/gm, '')
  const parsed = trySync(
    () => diff().parsePatch(texts),
    () => [],
  )
  const hunks = new Map(
    (parsed.ok ? parsed.value : parsed.error).map((one) => [
      (one.newFileName === '/dev/null' ? one.oldFileName : one.newFileName)?.slice(2),
      one.hunks.map(({ oldStart, newStart, lines }) => ({
        old_start: oldStart,
        new_start: newStart,
        lines,
      })),
    ]),
  )
  return files.slice(0, MOST_DIFFS).map(({ path, change }) => {
    const found = hunks.get(path)
    return found
      ? { path, hunks: found }
      : { path, hunks: [], note: `${change}; its lines are not compared` }
  })
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const
const STEP = 1_024

/** @example sizeText(2048) // '2 KB' */
function sizeText(bytes: number): string {
  const at = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(STEP)), UNITS.length - 1)
  return `${Math.round(bytes / STEP ** at)} ${UNITS[at] ?? ''}`
}
