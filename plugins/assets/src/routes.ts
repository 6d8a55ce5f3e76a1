import {
  failure,
  ok,
  type Asset,
  type AssetStore,
  type Caller,
  type Failure,
  type JsonObject,
  type Outbound,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { isTextType } from '@amodal/sdk/loop'
import { crashed, describeRoutes, endpoint, failed, fileHeaders } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { fetchRemoteFile } from './remote-file.ts'
import type { AssetSettings } from './settings.ts'
import { uploadsOf } from './uploads.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export const ROUTE = '/assets'

/** One answer for what is not there and for what is somebody else's. */
const nothing = (): Response =>
  failed(failure('ASSET_NOT_FOUND', 'there is no such file: upload it, or check its id'))

/** Uploads files, and gives and deletes those that the caller may see. */
export function createRoutes(
  assets: AssetStore,
  settings: AssetSettings,
  outbound: Outbound | undefined,
): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, ROUTE, {
    POST: ({ req, env }) => upload({ assets, settings, outbound }, env, req.raw),
  })
  endpoint(app, `${ROUTE}/:id`, {
    GET: ({ req, env }) => download(assets, env, req.param('id'), req.raw.method === 'HEAD'),
    DELETE: ({ req, env }) => remove(assets, env, req.param('id')),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

interface UploadParts {
  readonly assets: AssetStore
  readonly settings: AssetSettings
  readonly outbound: Outbound | undefined
}

/** Stores all files, or returns why the first of them is refused; those before it stay stored. */
async function upload(
  { assets, settings, outbound }: UploadParts,
  context: RouteContext,
  request: Request,
): Promise<Response> {
  const caller = context.caller()
  if (!caller.ok) return failed(caller.error)
  const uploads = await uploadsOf(request, settings.maxPerMessage)
  if (!uploads.ok) return failed(uploads.error)
  const { tenant, principal } = caller.value
  const views: JsonObject[] = []
  for (const file of uploads.value) {
    const upload =
      'remote' in file
        ? await fetchRemoteFile(file.remote, outbound, settings, context.signal)
        : ok(file.upload)
    if (!upload.ok) return failed(upload.error)
    const asset = await assets.of(tenant).keep(principal, upload.value, context.signal)
    if (!asset.ok) return failed(asset.error)
    views.push(viewOf(asset.value))
  }
  return Response.json({ assets: views }, { status: 201 })
}

async function download(
  assets: AssetStore,
  context: RouteContext,
  id: string,
  isHead: boolean,
): Promise<Response> {
  const caller = context.caller()
  if (!caller.ok) return failed(caller.error)
  const found = await find(assets, caller.value, id, context.signal)
  if (!found.ok) return failed(found.error)
  if (!found.value) return nothing()
  const { mediaType, name = 'file', bytes } = found.value
  const headers = {
    ...fileHeaders(name, isTextType(mediaType) ? `${mediaType}; charset=utf-8` : mediaType),
    'content-length': String(bytes),
  }
  if (isHead) return new Response(null, { headers })
  const read = await assets.of(caller.value.tenant).read(id, context.signal)
  if (!read.ok) return failed(read.error)
  return read.value ? new Response(new Uint8Array(read.value), { headers }) : nothing()
}

async function remove(assets: AssetStore, context: RouteContext, id: string): Promise<Response> {
  const caller = context.caller()
  if (!caller.ok) return failed(caller.error)
  const { tenant, principal } = caller.value
  const removed = await assets.of(tenant).remove(id, principal, context.signal)
  if (!removed.ok) return failed(removed.error)
  return removed.value ? new Response(null, { status: 204 }) : nothing()
}

/** Those who see the sessions of others see their files. */
async function find(
  assets: AssetStore,
  { tenant, principal, ownSessionsOnly = false }: Caller,
  id: string,
  signal: AbortSignal,
): Promise<Result<Asset | undefined, Failure>> {
  const store = assets.of(tenant)
  const own = await store.find(id, principal, signal)
  if (!own.ok || own.value) return own
  return ownSessionsOnly ? ok(undefined) : store.find(id, undefined, signal)
}

const viewOf = ({ asset, mediaType, bytes, name, usedAt }: Asset): JsonObject => ({
  id: asset,
  media_type: mediaType,
  bytes,
  ...(name !== undefined && { name }),
  used_at: new Date(usedAt).toISOString(),
})
