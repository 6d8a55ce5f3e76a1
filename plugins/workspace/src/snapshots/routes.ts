import {
  err,
  failure,
  ok,
  type Agent,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  problems,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { WorkspaceFileMissing, WorkspaceSnapshotMissing } from '../errors.ts'
import { differenceOf } from './difference.ts'
import { foundWorkspace, manifestOf, type FoundWorkspace } from './found-workspace.ts'
import { EMPTY } from './manifest.ts'
import { DiffQuery, UndoBody } from './requests.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import type { SnapshottedWorkspaces } from './snapshotted-workspaces.ts'
import { CHANGE } from './undo.ts'

export const ROUTE = '/sessions/:id/workspace'

type Outcome<T> = Promise<Result<T, Failure>>

export function createRoutes(agent: Agent, workspaces: SnapshottedWorkspaces): RouteHandler {
  const routes = new WorkspaceRoutes(agent, workspaces)
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, ROUTE, { GET: ({ req, env }) => routes.list(env, req.param('id')) })
  endpoint(app, `${ROUTE}/diff`, {
    GET: ({ req, env }) => routes.diff(env, req.param('id'), req.query()),
  })
  endpoint(app, `${ROUTE}/undo`, {
    POST: ({ req, env }) => routes.undo(env, req.param('id'), req.raw),
  })
  endpoint(app, `${ROUTE}/files/*`, {
    GET: ({ req, env }) => routes.file(env, req.param('id'), pathOf(req.raw)),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

const pathOf = (request: Request): string => {
  const { pathname } = new URL(request.url)
  return decodeURIComponent(pathname.slice(pathname.indexOf('/workspace/files/') + 17))
}

class WorkspaceRoutes {
  readonly #agent: Agent
  readonly #workspaces: SnapshottedWorkspaces

  constructor(agent: Agent, workspaces: SnapshottedWorkspaces) {
    this.#agent = agent
    this.#workspaces = workspaces
  }

  async list(context: RouteContext, id: string): Promise<Response> {
    const found = await foundWorkspace(context, id, this.#agent, this.#workspaces)
    if (!found.ok) return failed(found.error)
    const { snapshots, store } = found.value
    const [newest] = snapshots
    const manifest = newest ? await manifestOf(store, newest.id, context.signal) : ok(EMPTY)
    if (!manifest.ok) return failed(manifest.error)
    const files = Object.entries(manifest.value).map(([path, entry]) => ({
      path,
      kind: entry.kind,
      ...(entry.kind === 'file' && { size: entry.size, mode: entry.mode }),
      ...(entry.kind === 'link' && { target: entry.target }),
    }))
    return Response.json({
      snapshot: newest?.id ?? null,
      files,
      bytes: newest?.bytes ?? 0,
      snapshots: snapshots.map(({ created_at: at, ...rest }) => ({
        ...rest,
        created_at: at.toISOString(),
      })),
    })
  }

  async file(context: RouteContext, id: string, path: string): Promise<Response> {
    const found = await foundWorkspace(context, id, this.#agent, this.#workspaces)
    if (!found.ok) return failed(found.error)
    const { snapshots, store } = found.value
    const [newest] = snapshots
    const manifest = newest ? await manifestOf(store, newest.id, context.signal) : ok(EMPTY)
    if (!manifest.ok) return failed(manifest.error)
    const entry = Object.hasOwn(manifest.value, path) ? manifest.value[path] : undefined
    if (entry?.kind !== 'file') return failed(WorkspaceFileMissing(`there is no file ${path}`))
    let content: Uint8Array<ArrayBuffer> = new Uint8Array()
    const read = await store.contents(
      [entry.hash],
      (_, bytes) => {
        content = new Uint8Array(bytes)
        return Promise.resolve(undefined)
      },
      context.signal,
    )
    if (!read.ok) return failed(read.error)
    const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
    // A browser neither shows nor runs what an agent has written.
    return new Response(content, {
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
    })
  }

  async diff(
    context: RouteContext,
    id: string,
    search: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const query = DiffQuery.safeParse(search)
    if (!query.success) return failed(failure('VALIDATION_ERROR', problems(query.error)))
    const found = await foundWorkspace(context, id, this.#agent, this.#workspaces)
    if (!found.ok) return failed(found.error)
    const { store } = found.value
    const ends = await this.#ends(found.value, query.data, context.signal)
    if (!ends.ok) return failed(ends.error)
    const { from, to } = ends.value
    const before = await manifestOf(store, from, context.signal)
    if (!before.ok) return failed(before.error)
    const after = await manifestOf(store, to, context.signal)
    if (!after.ok) return failed(after.error)
    const difference = await differenceOf(before.value, after.value, store, context.signal)
    return difference.ok
      ? Response.json({ from, to, ...difference.value })
      : failed(difference.error)
  }

  async undo(context: RouteContext, id: string, request: Request): Promise<Response> {
    const body = await readJson(request, UndoBody)
    if (!body.ok) return failed(body.error)
    const found = await foundWorkspace(context, id, this.#agent, this.#workspaces)
    if (!found.ok) return failed(found.error)
    const { caller, session, snapshots } = found.value
    const run = body.value.run ?? snapshots.find((one) => one.run !== null)?.run
    if (run === undefined || run === null)
      return failed(WorkspaceSnapshotMissing('no run of this session has changed its workspace'))
    const changed = await this.#agent.as(caller).change(session, CHANGE, { run }, context.signal)
    return changed.ok ? Response.json(changed.value) : failed(changed.error)
  }

  async #ends(
    { store, session, snapshots }: FoundWorkspace,
    {
      run,
      from,
      to,
    }: { run?: string | undefined; from?: string | undefined; to?: string | undefined },
    signal: AbortSignal,
  ): Outcome<{ readonly from: string; readonly to: string }> {
    if (run !== undefined) {
      const around = await store.aroundRun(session, run, signal)
      return around.ok ? ok({ from: around.value.before, to: around.value.after }) : around
    }
    const first = from ?? snapshots.at(-1)?.id
    const last = to ?? snapshots[0]?.id
    const missing = [first, last].find(
      (one) => one === undefined || !snapshots.some(({ id }) => id === one),
    )
    return first === undefined || last === undefined || missing !== undefined
      ? err(WorkspaceSnapshotMissing(`there is no snapshot ${missing ?? ''} of this session`))
      : ok({ from: first, to: last })
  }
}
