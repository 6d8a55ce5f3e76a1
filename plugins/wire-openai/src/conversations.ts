import {
  err,
  failure,
  ok,
  type AgentClient,
  type Failure,
  type JsonObject,
  type Result,
  type RouteContext,
  type SessionId,
  type SessionRow,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { publicHeaders } from '@amodal/sdk/wire'
import { readJson } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { unsupported } from './openai-error.ts'
import { metadata, misfit } from './parameters.ts'
import { inputItem, listOf, recorded } from './recorded.ts'
import { asCaller, modelOf, type WireParts } from './requests.ts'
import { segmentOf } from './run-segment.ts'
import { conversationId, readConversationId, type ResponsePlace } from './wire-id.ts'

const UNKNOWN = failure('NOT_FOUND', 'there is no such conversation')
const body = z.strictObject({ metadata, items: z.array(z.unknown()).nullish() })
const META = 'openai'

/** Conversations: sessions under OpenAI's name for them. */
export class Conversations {
  readonly #parts: WireParts

  constructor(parts: WireParts) {
    this.#parts = parts
  }

  create(context: RouteContext, request: Request): Promise<Response> {
    return asCaller(this.#parts, context, async ({ client }) => {
      const read = await readBody(request)
      if (!read.ok) return read
      const opened = await client.open({
        headers: publicHeaders(request.headers),
        meta: { [META]: read.value },
      })
      return opened.ok ? ok(Response.json(shown(opened.value))) : opened
    })
  }

  one(context: RouteContext, id: string): Promise<Response> {
    return this.#inConversation(context, id, async (client, session) => {
      const view = await client.session(session, undefined, Number.MAX_SAFE_INTEGER)
      return view.ok ? ok(Response.json(shown(view.value.row))) : view
    })
  }

  update(context: RouteContext, request: Request, id: string): Promise<Response> {
    return this.#inConversation(context, id, async (client, session) => {
      const read = await readBody(request)
      if (!read.ok) return read
      const view = await client.session(session, undefined, Number.MAX_SAFE_INTEGER)
      if (!view.ok) return view
      const meta = { ...metaOf(view.value.row), [META]: read.value }
      const updated = await client.update(session, { meta })
      return updated.ok ? ok(Response.json(shown(updated.value))) : updated
    })
  }

  remove(context: RouteContext, id: string): Promise<Response> {
    return this.#inConversation(context, id, async (client, session) => {
      const removed = await client.remove(session)
      return removed.ok
        ? ok(Response.json({ id, object: 'conversation.deleted', deleted: true }))
        : removed
    })
  }

  /** What was said, and what came of it, in one list. */
  items(context: RouteContext, request: Request, id: string): Promise<Response> {
    return this.#inConversation(context, id, async (client, session) => {
      const view = await client.session(session)
      if (!view.ok) return view
      const { origin, searchParams } = new URL(request.url)
      const items = view.value.entries.flatMap((entry): readonly JsonObject[] => {
        if (entry.kind !== 'user_message') return []
        const place: ResponsePlace = { session, from: { kind: 'message', key: entry.key } }
        const segment = segmentOf(view.value.entries, place)
        if (!segment) return []
        const run = view.value.entries.filter(({ run: of }) => of === entry.run)
        const { writer } = recorded({
          place,
          segment: { ...segment, entries: run, isContinued: false },
          view: segment.isLatest ? view.value : { ...view.value, asks: [] },
          model: modelOf(this.#parts),
          origin,
        })
        return [inputItem(entry), ...writer.output]
      })
      return ok(Response.json(listOf(items, Object.fromEntries(searchParams))))
    })
  }

  #inConversation(
    context: RouteContext,
    id: string,
    work: (client: AgentClient, session: SessionId) => Promise<Result<Response, Failure>>,
  ): Promise<Response> {
    return asCaller(this.#parts, context, async ({ client }) => {
      const session = readConversationId(id)
      if (session === undefined) return err(UNKNOWN)
      const done = await work(client, session)
      return done.ok || done.error.code !== 'SESSION_NOT_FOUND' ? done : err(UNKNOWN)
    })
  }
}

async function readBody(request: Request): Promise<Result<JsonObject, Failure>> {
  const read = await readJson(request, z.unknown())
  if (!read.ok) return read
  const checked = body.safeParse(read.value)
  if (!checked.success) return err(misfit(checked.error))
  if ((checked.data.items?.length ?? 0) > 0)
    return err(unsupported('items', 'a session is written by its runs; send them as input'))
  return ok({ ...checked.data.metadata })
}

// written by the kernel
const metaOf = ({ meta }: SessionRow): JsonObject => parseExact(meta) as JsonObject

const shown = (row: SessionRow): JsonObject => ({
  id: conversationId(row.session),
  object: 'conversation',
  created_at: Math.floor(row.createdAt / 1_000),
  metadata: metaOf(row)[META] ?? {},
})
