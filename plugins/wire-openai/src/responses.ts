import {
  err,
  failure,
  ok,
  sleep,
  type AgentClient,
  type Failure,
  type Result,
  type RouteContext,
  type SessionView,
} from '@amodal/sdk'
import { publicHeaders } from '@amodal/sdk/wire'
import { idempotencyKeyOf } from '@amodal/plugin-http/tokens'
import { forgetAfter } from './forget.ts'
import { badParameter } from './openai-error.ts'
import { inputItem, listOf, recorded } from './recorded.ts'
import { answered, asCaller, checkModel, modelOf, type Called, type WireParts } from './requests.ts'
import { ResponseWriter } from './response-writer.ts'
import { readResponseRequest, type ResponseRequest } from './responses-request.ts'
import { resumed } from './resumed.ts'
import { pendingSegment, segmentOf, type RunSegment } from './run-segment.ts'
import { readTurn, streamTurn, type ParkedTurn } from './run-turn.ts'
import { Turns, type BegunTurn, type Target } from './turns.ts'
import { readConversationId, readResponseId, type ResponsePlace } from './wire-id.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** Looks for the end of a run that is cancelled, and ms between two. */
const LOOKS = 100
const LOOK_MS = 50

const UNKNOWN = failure('NOT_FOUND', 'there is no such response')

interface Found {
  readonly place: ResponsePlace
  readonly segment: RunSegment
  readonly view: SessionView
}

/** Responses: made, read, resumed, cancelled and deleted. */
export class Responses {
  readonly #parts: WireParts
  readonly #turns: Turns

  constructor(parts: WireParts) {
    this.#parts = parts
    this.#turns = new Turns(parts.agent, parts.formats)
  }

  create(context: RouteContext, request: Request): Promise<Response> {
    return answered(this.#parts, context, request, {
      read: readResponseRequest,
      answer: (called, asked) => this.#answer(called, asked, request, context.signal),
    })
  }

  one(context: RouteContext, request: Request, id: string): Promise<Response> {
    return asCaller(this.#parts, context, async ({ client }) => {
      const { searchParams, origin } = new URL(request.url)
      const after = readAfter(searchParams.get('starting_after'))
      if (!after.ok) return after
      const found = await this.#find(client, id)
      if (!found.ok) return found
      const shown = { ...found.value, model: modelOf(this.#parts), origin }
      if (searchParams.get('stream') !== 'true')
        return ok(Response.json(recorded(shown).writer.response))
      return resumed(client, { ...shown, after: after.value })
    })
  }

  cancel(context: RouteContext, request: Request, id: string): Promise<Response> {
    return asCaller(this.#parts, context, async ({ client }) => {
      const found = await this.#find(client, id)
      if (!found.ok) return found
      if (found.value.segment.isLatest) {
        const cancelled = await client.cancel(found.value.place.session)
        if (!cancelled.ok) return cancelled
      }
      const ended = await this.#ended(client, id)
      if (!ended.ok) return ended
      const { origin } = new URL(request.url)
      return ok(
        Response.json(
          recorded({ ...ended.value, model: modelOf(this.#parts), origin }).writer.response,
        ),
      )
    })
  }

  remove(context: RouteContext, id: string): Promise<Response> {
    return asCaller(this.#parts, context, async ({ client }) => {
      const found = await this.#find(client, id)
      if (!found.ok) return found
      const { entries } = found.value.view
      if (entries.filter(({ kind }) => kind === 'user_message').length > 1)
        return err(
          failure(
            'VALIDATION_ERROR',
            'the response is a part of a conversation with others: delete the conversation',
          ),
        )
      const removed = await client.remove(found.value.place.session)
      return removed.ok ? ok(Response.json({ id, object: 'response', deleted: true })) : removed
    })
  }

  inputItems(
    context: RouteContext,
    query: Readonly<Record<string, string>>,
    id: string,
  ): Promise<Response> {
    return asCaller(this.#parts, context, async ({ client }) => {
      const found = await this.#find(client, id)
      return found.ok
        ? ok(Response.json(listOf([inputItem(found.value.segment.opening)], query)))
        : found
    })
  }

  async #answer(
    { caller, client }: Called,
    asked: ResponseRequest,
    request: Request,
    signal: AbortSignal,
  ): Outcome<Response> {
    const model = checkModel(this.#parts, asked.model)
    if (!model.ok) return model
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return key
    const target = await this.#target(client, asked)
    if (!target.ok) return target
    const turn = await this.#turns.begin({
      caller,
      target: target.value,
      incoming: asked.incoming,
      headers: publicHeaders(request.headers),
      idempotencyKey: key.value,
    })
    if (!turn.ok) return turn
    if (!asked.store) void forgetAfter(client, turn.value.session, turn.value.key)
    return ok(await this.#respond(turn.value, asked, request, signal))
  }

  async #respond(
    turn: BegunTurn,
    asked: ResponseRequest,
    request: Request,
    signal: AbortSignal,
  ): Promise<Response> {
    const parked: ParkedTurn = { entries: [] }
    const writer = new ResponseWriter({
      head: {
        place: turn.place,
        createdAt: this.#parts.clock.now(),
        model: asked.model,
        previous: asked.previous,
        background: asked.background,
        store: asked.store,
        metadata: asked.metadata,
        tools: asked.incoming.tools,
        ...(asked.incoming.instructions !== '' && { instructions: asked.incoming.instructions }),
      },
      clientTools: turn.clientTools,
      canRespond: turn.canRespond,
      origin: new URL(request.url).origin,
      used: turn.used,
      parked,
    })
    const headers = { 'x-amodal-session-id': turn.session }
    if (asked.stream) return streamTurn(turn, writer, parked, headers)
    if (asked.background) turn.frames.close()
    else await readTurn(turn, writer, parked, signal)
    return Response.json(writer.response, { headers })
  }

  /** The session that a request goes on with, or a fork of it at an older response. */
  async #target(client: AgentClient, asked: ResponseRequest): Outcome<Target> {
    const { previous, conversation, store, incoming } = asked
    if (conversation !== undefined) {
      if (previous !== undefined)
        return err(
          badParameter('previous_response_id', 'stands beside conversation: give one of them'),
        )
      if (!store)
        return err(badParameter('store', 'false, although the request names a conversation'))
      const session = readConversationId(conversation)
      return session === undefined
        ? err(failure('NOT_FOUND', 'there is no such conversation'))
        : ok({ session })
    }
    if (previous === undefined) return ok({})
    const found = await this.#find(client, previous)
    if (!found.ok) return found
    const { place, segment, view } = found.value
    // Results go to the run that waits for them.
    if (incoming.outputs.length > 0) return ok({ session: place.session })
    if (segment.isLatest && store) return ok({ session: place.session })
    const end = segment.entries.findLast(({ kind }) => kind === 'run_ended')
    if (!end)
      return err(
        failure('RUN_ACTIVE', 'the previous response is not over: nothing can go on from there'),
      )
    const fork = await client.fork(view.row.session, segment.entries.at(-1)?.seq)
    return fork.ok ? ok({ session: fork.value.session }) : fork
  }

  /** A response by its id. The first entries of a run are written with its first reply. */
  async #find(client: AgentClient, id: string): Outcome<Found> {
    const place = readResponseId(id)
    if (!place) return err(UNKNOWN)
    const { session, from } = place
    for (let look = 0; look < 2; look++) {
      const view = await client.session(session)
      if (!view.ok) return view.error.code === 'SESSION_NOT_FOUND' ? err(UNKNOWN) : view
      const segment = segmentOf(view.value.entries, place)
      if (segment) return ok({ place, segment, view: view.value })
      if (from.kind !== 'message') return err(UNKNOWN)
      const frames = await client.follow(session, undefined, from.key)
      if (!frames.ok) return frames
      frames.value.close()
      if (frames.value.atRest !== true)
        return ok({
          place,
          segment: pendingSegment(from.key, view.value.row.updatedAt),
          view: view.value,
        })
    }
    return err(UNKNOWN)
  }

  /** The response once its run has ended, or as it stands when nobody wants to wait longer. */
  async #ended(client: AgentClient, id: string): Outcome<Found> {
    for (let look = 0; ; look++) {
      const found = await this.#find(client, id)
      if (!found.ok || look >= LOOKS) return found
      const { isContinued, isLatest, entries } = found.value.segment
      if (isContinued || !isLatest || entries.some(({ kind }) => kind === 'run_ended')) return found
      await sleep(LOOK_MS)
    }
  }
}

function readAfter(text: string | null): Result<number, Failure> {
  const after = Number(text ?? 0)
  return Number.isSafeInteger(after) && after >= 0
    ? ok(after)
    : err(badParameter('starting_after', 'must be a sequence number'))
}
