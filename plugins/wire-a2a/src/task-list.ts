import {
  err,
  ok,
  type Agent,
  type Caller,
  type JsonObject,
  type Result,
  type SessionId,
  type SessionView,
} from '@amodal/sdk'
import { sessionOfThread } from '@amodal/sdk/wire'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { a2aError, type OperationError } from './a2a-error.ts'
import { taskIn, taskObject, type TaskView } from './task.ts'

const listRequest = z.object({
  contextId: z.string().max(300).default(''),
  status: z.string().default(''),
  pageSize: z.coerce.number().int().min(1).max(100).default(50),
  pageToken: z.string().max(1_000).default(''),
  historyLength: z.coerce.number().int().min(0).optional(),
  statusTimestampAfter: z.iso.datetime({ offset: true }).optional(),
  includeArtifacts: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
    .default(false),
})
type ListRequest = z.output<typeof listRequest>

/** Where a page begins: a page of sessions, and tasks of it that were listed before. */
const place = z.object({ cursor: z.string().optional(), skip: z.number().int().min(0) })
type Place = z.output<typeof place>

interface Page {
  readonly tasks: readonly TaskView[]
  /** The page of sessions behind this one. */
  readonly next: string | undefined
}

/** Lists tasks, those of the newest sessions first: of one context, or of all of the caller. */
export async function listTasks(
  agent: Agent,
  caller: Caller,
  body: unknown,
): Promise<Result<JsonObject, OperationError>> {
  const read = listRequest.safeParse(body ?? {})
  if (!read.success) return err(a2aError('INVALID_PARAMS', problems(read.error)))
  const asked = read.data
  const from = placeOf(asked.pageToken)
  if (!from.ok) return from
  const page = await (asked.contextId === ''
    ? sessionsPage(agent, caller, asked, from.value)
    : contextPage(agent, caller, asked.contextId))
  if (!page.ok) return page
  const { tasks, next } = page.value
  const wanted = tasks.filter((task) => isWanted(task, asked))
  const shown = wanted.slice(from.value.skip, from.value.skip + asked.pageSize)
  const end = from.value.skip + shown.length
  const { historyLength, includeArtifacts: artifacts } = asked
  return ok({
    tasks: shown.map((task) => taskObject(task, { historyLength, artifacts })),
    nextPageToken: tokenFor(end < wanted.length, { ...from.value, skip: end }, next),
    pageSize: asked.pageSize,
    totalSize: wanted.length,
  })
}

function tokenFor(isMore: boolean, same: Place, next: string | undefined): string {
  if (isMore) return tokenOf(same)
  return next === undefined ? '' : tokenOf({ cursor: next, skip: 0 })
}

const tokenOf = (from: Place): string => Buffer.from(JSON.stringify(from)).toString('base64url')

function placeOf(token: string): Result<Place, OperationError> {
  if (token === '') return ok({ skip: 0 })
  try {
    const read = place.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString()))
    if (read.success) return ok(read.data)
  } catch {
    // no token of ours
  }
  return err(a2aError('INVALID_PARAMS', 'pageToken: is not one that was given'))
}

function isWanted({ state, at }: TaskView, asked: ListRequest): boolean {
  const { status, statusTimestampAfter: after } = asked
  const isOfStatus = status === '' || status === 'TASK_STATE_UNSPECIFIED' || status === state
  return isOfStatus && (after === undefined || at >= Date.parse(after))
}

async function contextPage(
  agent: Agent,
  caller: Caller,
  contextId: string,
): Promise<Result<Page, OperationError>> {
  const { session } = sessionOfThread(caller, contextId)
  const view = await agent.as(caller).session(session)
  if (view.ok) return ok({ tasks: tasksIn(view.value, session), next: undefined })
  return view.error.code === 'SESSION_NOT_FOUND' ? ok({ tasks: [], next: undefined }) : view
}

async function sessionsPage(
  agent: Agent,
  caller: Caller,
  { pageSize }: ListRequest,
  { cursor }: Place,
): Promise<Result<Page, OperationError>> {
  const client = agent.as(caller)
  const listed = await client.sessions({ limit: pageSize, ...(cursor !== undefined && { cursor }) })
  if (!listed.ok) return listed
  const tasks: TaskView[] = []
  for (const { session } of listed.value.rows) {
    const view = await client.session(session)
    if (view.ok) tasks.push(...tasksIn(view.value, session))
  }
  return ok({ tasks, next: listed.value.next })
}

/** Every message of a session is a task, whatever wire it came over. */
const tasksIn = (view: SessionView, session: SessionId): readonly TaskView[] =>
  view.entries
    .flatMap((entry) =>
      entry.kind === 'user_message' ? (taskIn(view, { session, key: entry.key }) ?? []) : [],
    )
    .toReversed()
