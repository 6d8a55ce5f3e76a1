import {
  err,
  failure,
  ok,
  type Failure,
  type Frame,
  type FrameCursor,
  type RequestLimiter,
  type Result,
  type RouteContext,
  type SendRequest,
  type Sent,
} from '@amodal/sdk'
import { eventStream, frameText, legacyFrameText } from '@amodal/sdk/wire'
import { failed, problems, readJson } from '@amodal/plugin-http/tokens'
import { chatRequest, keyOf, toSend, type ChatRequest, type MessageLimits } from './chat-request.ts'
import { counted } from './counted.ts'
import { follow, lastSeen, streamHead } from './follow.ts'
import { syncAnswer } from './sync-answer.ts'
import type { Visitor, Visitors } from './visitor.ts'
import { clickedMessage, widgetAction } from './widget-action.ts'

/** Sending messages and following what comes of them. */
export class Turns {
  readonly #visitors: Visitors
  readonly #limiter: RequestLimiter | undefined
  readonly #schema: ReturnType<typeof chatRequest>

  constructor(visitors: Visitors, limiter: RequestLimiter | undefined, limits: MessageLimits) {
    this.#visitors = visitors
    this.#limiter = limiter
    this.#schema = chatRequest(limits)
  }

  /**
   * Answers with the turn's events as they come. `init` is the first, and says that the message is
   * kept.
   */
  async stream(context: RouteContext, request: Request): Promise<Response> {
    const read = await this.#read(context, request)
    return read.ok ? this.#stream(read.value) : failed(read.error)
  }

  /** Answers once the turn has ended, or waits for a person. */
  async sync(context: RouteContext, request: Request): Promise<Response> {
    const read = await this.#read(context, request)
    return read.ok ? this.#sync(read.value, context.signal) : failed(read.error)
  }

  /** One or the other: JSON where the client asks for it. */
  async either(context: RouteContext, request: Request): Promise<Response> {
    return this.#either(await this.#read(context, request), context, request)
  }

  /** A click in a widget is a message of whoever clicks. */
  async clicked(context: RouteContext, request: Request): Promise<Response> {
    const key = keyOf(request)
    if (!key.ok) return failed(key.error)
    const body = await readJson(request, widgetAction)
    if (!body.ok) return failed(body.error)
    const message = this.#schema.safeParse(clickedMessage(body.value))
    if (!message.success) return failed(failure('VALIDATION_ERROR', problems(message.error)))
    return this.#either(this.#asked(context, request, message.data, key.value), context, request)
  }

  /**
   * A message in the query, for what can only ask with GET, such as a browser's `EventSource`. A
   * browser follows links and loads pictures for pages of strangers, so it has to say that it asks
   * for a page of this server's own. One that comes back for more is never taken for a second
   * message.
   */
  async asked(context: RouteContext, request: Request): Promise<Response> {
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
        failure('FORBIDDEN_ORIGIN', 'a message in a link or picture of another page is none'),
      )
    if (request.method === 'HEAD') return streamHead()
    const session = searchParams.get('session_id') ?? searchParams.get('sessionId')
    if (request.headers.has('last-event-id'))
      return session === null
        ? new Response(null, { status: 204 })
        : this.follow(context, request, session)
    const key = keyOf(request, searchParams.get('key'))
    if (!key.ok) return failed(key.error)
    const body = this.#schema.safeParse({
      message: searchParams.get('message') ?? '',
      session_id: session,
    })
    if (!body.success) return failed(failure('VALIDATION_ERROR', problems(body.error)))
    const read = this.#asked(context, request, body.data, key.value)
    return read.ok ? this.#stream(read.value) : failed(read.error)
  }

  /** Goes on with a stream that was cut, after the frame that the client saw last. */
  async follow(context: RouteContext, request: Request, id: string): Promise<Response> {
    const from = lastSeen(request, undefined)
    if (!from.ok) return failed(from.error)
    const key = keyOf(request)
    if (!key.ok) return failed(key.error)
    const events = eventsOf(request)
    if (!events.ok) return failed(events.error)
    return follow(context, request, id, {
      visitors: this.#visitors,
      from: from.value,
      key: key.value,
      text: textOf(events.value),
      ...(events.value === 'all' && { events: events.value }),
    })
  }

  async #either(
    read: Result<Read, Failure>,
    context: RouteContext,
    request: Request,
  ): Promise<Response> {
    if (!read.ok) return failed(read.error)
    const streams = read.value.body.stream ?? !wantsJson(request)
    return streams ? this.#stream(read.value) : this.#sync(read.value, context.signal)
  }

  #stream({ send, visitor, events }: Read): Promise<Response> {
    return counted(this.#limiter, visitor.caller, async () => {
      // Without the request's signal: a client that leaves takes nothing back.
      const sent = await visitor.face.send(events === 'all' ? { ...send, events } : send)
      return sent.ok ? eventStream(told(sent.value), { text: textOf(events) }) : failed(sent.error)
    })
  }

  #sync({ send, visitor }: Read, signal: AbortSignal): Promise<Response> {
    return counted(this.#limiter, visitor.caller, async () => {
      const turn = await visitor.face.ask(send, signal)
      return turn.ok ? syncAnswer(turn.value) : failed(turn.error)
    })
  }

  async #read(context: RouteContext, request: Request): Promise<Result<Read, Failure>> {
    const key = keyOf(request)
    if (!key.ok) return key
    const body = await readJson(request, this.#schema)
    return body.ok ? this.#asked(context, request, body.value, key.value) : body
  }

  /** Who asks, and how they want to be answered. */
  #asked(
    context: RouteContext,
    request: Request,
    body: ChatRequest,
    key: string | undefined,
  ): Result<Read, Failure> {
    const events = eventsOf(request)
    if (!events.ok) return events
    const visitor = this.#visitors(context, body.scope_id)
    return visitor.ok
      ? ok({
          body,
          send: toSend(body, key, request.headers),
          visitor: visitor.value,
          events: events.value,
        })
      : visitor
  }
}

type Events = 'all' | 'legacy' | undefined
interface Read {
  readonly visitor: Visitor
  readonly body: ChatRequest
  readonly send: SendRequest
  readonly events: Events
}

/**
 * `?events=all`: with those that tell how the model is called. `?events=legacy`: the names of
 * events that older clients listen for.
 */
function eventsOf(request: Request): Result<Events, Failure> {
  const asked = new URL(request.url).searchParams.get('events')
  if (asked === null) return ok(undefined)
  return asked === 'all' || asked === 'legacy'
    ? ok(asked)
    : err(failure('VALIDATION_ERROR', 'events: is all or legacy, or left out'))
}

const textOf = (events: Events): ((frame: Frame) => string) =>
  events === 'legacy' ? legacyFrameText : frameText

function wantsJson(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/event-stream')
}

const WAITS =
  'a question of this session is open: this message is kept, and is answered once that is settled'

/** Says after `init` that the message waits, where it does. */
function told({ frames, waits }: Sent): FrameCursor {
  if (!waits) return frames
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
