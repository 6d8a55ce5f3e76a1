import { ok, type Failure, type Result, type RouteContext } from '@amodal/sdk'
import { publicHeaders, sessionOfThread } from '@amodal/sdk/wire'
import { idempotencyKeyOf } from '@amodal/plugin-http/tokens'
import { readChatRequest, type ChatCompletionRequest } from './chat-request.ts'
import { ChatWriter } from './chat-writer.ts'
import { forgetAfter } from './forget.ts'
import { badParameter } from './openai-error.ts'
import { answered, checkModel, type Called, type WireParts } from './requests.ts'
import { readTurn, streamTurn, type ParkedTurn } from './run-turn.ts'
import { Turns, type BegunTurn, type Target } from './turns.ts'

/** Chat completions: each is a message of a session, or the results of its client's tools. */
export class ChatCompletions {
  readonly #parts: WireParts
  readonly #turns: Turns

  constructor(parts: WireParts) {
    this.#parts = parts
    this.#turns = new Turns(parts.agent, parts.formats)
  }

  create(context: RouteContext, request: Request): Promise<Response> {
    return answered(this.#parts, context, request, {
      read: readChatRequest,
      answer: (called, asked) => this.#answer(called, asked, request, context.signal),
    })
  }

  async #answer(
    { caller, client }: Called,
    asked: ChatCompletionRequest,
    request: Request,
    signal: AbortSignal,
  ): Promise<Result<Response, Failure>> {
    const model = checkModel(this.#parts, asked.model)
    if (!model.ok) return model
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return key
    if (!asked.store && asked.thread !== undefined)
      return {
        ok: false,
        error: badParameter(
          'store',
          'false, although the request names a session: leave one of them out',
        ),
      }
    const turn = await this.#turns.begin({
      caller,
      target: targetOf(asked, caller),
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
    asked: ChatCompletionRequest,
    request: Request,
    signal: AbortSignal,
  ): Promise<Response> {
    const parked: ParkedTurn = { entries: [] }
    const writer = new ChatWriter({
      place: turn.place,
      createdAt: this.#parts.clock.now(),
      model: asked.model,
      includeUsage: asked.includeUsage,
      clientTools: turn.clientTools,
      canRespond: turn.canRespond,
      origin: new URL(request.url).origin,
      used: turn.used,
      parked,
      statusOf: this.#parts.statusOf,
    })
    const headers = { 'x-amodal-session-id': turn.session }
    if (asked.stream) return streamTurn(turn, writer, parked, headers)
    await readTurn(turn, writer, parked, signal)
    const { error } = writer
    return error
      ? Response.json({ error: error.body }, { status: error.status, headers })
      : Response.json(writer.completion, { headers })
  }
}

/** A conversation that the client has a name for is always the same session of this caller. */
function targetOf({ thread }: ChatCompletionRequest, caller: Called['caller']): Target {
  if (thread === undefined) return {}
  const { session, isDerived: made } = sessionOfThread(caller, thread)
  return made ? { session, create: true } : { session }
}
