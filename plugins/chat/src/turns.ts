import {
  err,
  failure,
  ok,
  type Code,
  type Failure,
  type Frame,
  type FrameCursor,
  type JsonObject,
  type RequestLimiter,
  type Result,
  type RouteContext,
  type SendRequest,
  type Sent,
  type SessionKind,
} from '@amodal/sdk'
import { eventStream, frameText, legacyFrameText } from '@amodal/sdk/wire'
import {
  failed,
  idempotencyKeyOf,
  problems,
  rateLimited,
  readJson,
} from '@amodal/plugin-http/tokens'
import type { ResponseFormats } from '@amodal/plugin-structured-output/tokens'
import { chatRequest, toSend, type ChatRequest, type MessageLimits } from './chat-request.ts'
import { follow, lastSeen, streamHead } from './follow.ts'
import { syncAnswer } from './sync-answer.ts'
import type { CallerClient, CallerClients } from './caller-client.ts'
import { clickedMessage, widgetAction } from './widget-action.ts'

/** The routes that send messages and follow their turns. */
export class Turns {
  readonly #callerClients: CallerClients
  readonly #limiter: RequestLimiter | undefined
  readonly #schema: ReturnType<typeof chatRequest>
  readonly #statusOf: (code: Code) => number

  readonly #formats: ResponseFormats | undefined

  /** @param statusOf the HTTP status of a code, of plugins as well */
  constructor(
    {
      callerClients,
      limiter,
      formats,
    }: {
      readonly callerClients: CallerClients
      readonly limiter: RequestLimiter | undefined
      readonly formats: ResponseFormats | undefined
    },
    limits: MessageLimits,
    statusOf: (code: Code) => number,
  ) {
    this.#formats = formats
    this.#statusOf = statusOf
    this.#callerClients = callerClients
    this.#limiter = limiter
    this.#schema = chatRequest(limits)
  }

  /**
   * Responds with the turn's events as they are emitted. The first is `init`: the message is
   * accepted.
   */
  async stream(context: RouteContext, request: Request): Promise<Response> {
    const read = await this.#parse(context, request)
    return read.ok ? this.#stream(read.value) : failed(read.error)
  }

  /** Responds once the turn has ended, or waits for a person. */
  async sync(context: RouteContext, request: Request): Promise<Response> {
    const read = await this.#parse(context, request)
    return read.ok ? this.#sync(read.value, context.signal) : failed(read.error)
  }

  /**
   * A stream, or JSON if the client requests it.
   *
   * @param sessionState joins that of the session
   * @param kind of a session that it begins
   */
  async streamOrSync(
    context: RouteContext,
    request: Request,
    sessionState?: JsonObject,
    kind?: SessionKind,
  ): Promise<Response> {
    const read = await this.#parse(context, request)
    if (!read.ok || !sessionState) return this.#streamOrSync(read, context, request)
    const { send } = read.value
    const state = { ...send.sessionState, ...sessionState }
    return this.#streamOrSync(
      ok({ ...read.value, send: { ...send, sessionState: state, ...(kind && { kind }) } }),
      context,
      request,
    )
  }

  /** A click in a widget is a message of the person who clicks. */
  async widgetClick(context: RouteContext, request: Request): Promise<Response> {
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return failed(key.error)
    const body = await readJson(request, widgetAction)
    if (!body.ok) return failed(body.error)
    const message = this.#schema.safeParse(clickedMessage(body.value))
    if (!message.success) return failed(failure('VALIDATION_ERROR', problems(message.error)))
    return this.#streamOrSync(
      this.#parsedOf(context, request, message.data, key.value),
      context,
      request,
    )
  }

  /**
   * A message in the query, for clients limited to GET, such as a browser's `EventSource`. A
   * browser also sends GET for links and pictures of foreign pages, so it must state that the
   * request is of this server's own page. A reconnect is never treated as a second message.
   */
  async queryMessage(context: RouteContext, request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const site = request.headers.get('sec-fetch-site')
    if (!(request.headers.get('accept') ?? '').includes('text/event-stream'))
      return failed(
        failure(
          'VALIDATION_ERROR',
          'Accept: must be text/event-stream; otherwise POST the message',
        ),
      )
    if (site !== null && site !== 'same-origin')
      return failed(
        failure('FORBIDDEN_ORIGIN', 'a message from a link or picture of another page is refused'),
      )
    if (request.method === 'HEAD') return streamHead()
    const session = searchParams.get('session_id') ?? searchParams.get('sessionId')
    if (request.headers.has('last-event-id'))
      return session === null
        ? new Response(null, { status: 204 })
        : this.follow(context, request, session)
    const key = idempotencyKeyOf(request.headers, searchParams.get('key'))
    if (!key.ok) return failed(key.error)
    const body = this.#schema.safeParse({
      message: searchParams.get('message') ?? '',
      session_id: session,
    })
    if (!body.success) return failed(failure('VALIDATION_ERROR', problems(body.error)))
    const read = this.#parsedOf(context, request, body.data, key.value)
    return read.ok ? this.#stream(read.value) : failed(read.error)
  }

  /** Resumes an interrupted stream after the last frame that the client has received. */
  async follow(context: RouteContext, request: Request, id: string): Promise<Response> {
    const from = lastSeen(request, undefined)
    if (!from.ok) return failed(from.error)
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return failed(key.error)
    const events = eventsOf(request)
    if (!events.ok) return failed(events.error)
    return follow(context, request, id, {
      callerClients: this.#callerClients,
      from: from.value,
      key: key.value,
      text: textOf(events.value),
      ...(events.value === 'all' && { events: events.value }),
    })
  }

  async #streamOrSync(
    read: Result<ParsedMessage, Failure>,
    context: RouteContext,
    request: Request,
  ): Promise<Response> {
    if (!read.ok) return failed(read.error)
    const streams = read.value.body.stream ?? !wantsJson(request)
    return streams ? this.#stream(read.value) : this.#sync(read.value, context.signal)
  }

  #stream({ send, callerClient, events }: ParsedMessage): Promise<Response> {
    return rateLimited(this.#limiter, callerClient.caller, async () => {
      // Without the request's signal: a client that disconnects does not cancel the message.
      const sent = await callerClient.client.send(events === 'all' ? { ...send, events } : send)
      return sent.ok
        ? eventStream(withWaitingWarning(sent.value), { text: textOf(events) })
        : failed(sent.error)
    })
  }

  #sync({ body, send, callerClient }: ParsedMessage, signal: AbortSignal): Promise<Response> {
    return rateLimited(this.#limiter, callerClient.caller, async () => {
      const turn = await callerClient.client.ask(send, signal)
      const hasOutput = body.response_schema !== null && body.response_schema !== undefined
      return turn.ok ? syncAnswer(turn.value, this.#statusOf, hasOutput) : failed(turn.error)
    })
  }

  async #parse(context: RouteContext, request: Request): Promise<Result<ParsedMessage, Failure>> {
    const key = idempotencyKeyOf(request.headers)
    if (!key.ok) return key
    const body = await readJson(request, this.#schema)
    return body.ok ? this.#parsedOf(context, request, body.value, key.value) : body
  }

  /** Reads the caller, the message and the wanted form of the response. */
  #parsedOf(
    context: RouteContext,
    request: Request,
    body: ChatRequest,
    key: string | undefined,
  ): Result<ParsedMessage, Failure> {
    const events = eventsOf(request)
    if (!events.ok) return events
    const callerClient = this.#callerClients(context, body.scope_id)
    if (!callerClient.ok) return callerClient
    const format = body.response_schema ? this.#formatOf(body.response_schema) : undefined
    if (format?.ok === false) return format
    const send = toSend(body, key, request.headers)
    return ok({
      body,
      send: format ? { ...send, sessionState: { ...send.sessionState, ...format.value } } : send,
      callerClient: callerClient.value,
      events: events.value,
    })
  }

  #formatOf(schema: JsonObject): Result<JsonObject, Failure> {
    if (!this.#formats)
      return err(failure('VALIDATION_ERROR', 'response_schema: needs the plugin structured-output'))
    const state = this.#formats.stateOf({ schema })
    return state.ok
      ? state
      : err(failure('VALIDATION_ERROR', `response_schema: ${state.error.message}`))
  }
}

type Events = 'all' | 'legacy' | undefined
interface ParsedMessage {
  readonly callerClient: CallerClient
  readonly body: ChatRequest
  readonly send: SendRequest
  readonly events: Events
}

/**
 * `?events=all`: with the events of model calls. `?events=legacy`: the event names of older
 * clients.
 */
function eventsOf(request: Request): Result<Events, Failure> {
  const events = new URL(request.url).searchParams.get('events')
  if (events === null) return ok(undefined)
  return events === 'all' || events === 'legacy'
    ? ok(events)
    : err(failure('VALIDATION_ERROR', 'events: must be all or legacy'))
}

const textOf = (events: Events): ((frame: Frame) => string) =>
  events === 'legacy' ? legacyFrameText : frameText

function wantsJson(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/event-stream')
}

const WAITS =
  'this session has an open question: the message is queued until the question is answered'

/**
 * Adds a warning after `init` if the message waits for an open question. A repeated message has
 * none: the question may be the one of its own turn, such as after a reload of the page.
 */
function withWaitingWarning({ frames, isBehindQuestion, repeated }: Sent): FrameCursor {
  if (!isBehindQuestion || repeated) return frames
  let warned = false
  const take = (): ReturnType<FrameCursor['take']> =>
    frames.take().flatMap((frame) => {
      if (warned || frame.event.type !== 'init') return [frame]
      warned = true
      return [frame, { ...frame, event: { type: 'warning', message: WAITS, code: 'RUN_ACTIVE' } }]
    })
  const wait = (): Promise<boolean> => frames.wait()
  return {
    take,
    wait,
    close: () => frames.close(),
    async *[Symbol.asyncIterator]() {
      while (await wait()) yield* take()
    },
  }
}
