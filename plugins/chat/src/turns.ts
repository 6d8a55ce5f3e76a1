import {
  err, eventStream, failure, ok, parseFrameId,
  type Failure, type FrameCursor, type RequestLimiter, type Result, type RouteContext, type SendRequest, type Sent,
} from '@amodal/sdk'
import { failed, readJson } from '@amodal/plugin-http/tokens'
import { chatRequest, idempotencyKey, toSend, type ChatRequest, type MessageLimits } from './chat-request.ts'
import { inSession } from './sessions.ts'
import { syncAnswer } from './sync-answer.ts'
import type { Visitor, Visitors } from './visitor.ts'

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

  /** Answers with the turn's events as they come. `init` is the first, and says that the message is kept. */
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
    const read = await this.#read(context, request)
    if (!read.ok) return failed(read.error)
    const streams = read.value.body.stream ?? !wantsJson(request)
    return streams ? this.#stream(read.value) : this.#sync(read.value, context.signal)
  }

  /** Goes on with a stream that was cut, after the frame that the client saw last. */
  async follow(context: RouteContext, request: Request, id: string): Promise<Response> {
    const last = request.headers.get('last-event-id')
    const from = last === null ? undefined : parseFrameId(last)
    if (last !== null && !from) return failed(failure('VALIDATION_ERROR', 'Last-Event-ID: is not the id of a frame (seq.fence.attempt.n)'))
    const key = keyOf(request)
    if (!key.ok) return failed(key.error)
    return inSession(id, async (session) => {
      const visitor = this.#visitors(context)
      if (!visitor.ok) return failed(visitor.error)
      if (request.method === 'HEAD') return new Response(null, { headers: { 'content-type': 'text/event-stream' } })
      const frames = await visitor.value.face.follow(session, from, key.value)
      return frames.ok ? eventStream(frames.value) : failed(frames.error)
    })
  }

  #stream({ send, visitor }: Read): Promise<Response> {
    return this.#counted(visitor, async () => {
      // Without the request's signal: a client that leaves takes nothing back.
      const sent = await visitor.face.send(send)
      return sent.ok ? eventStream(told(sent.value)) : failed(sent.error)
    })
  }

  #sync({ send, visitor }: Read, signal: AbortSignal): Promise<Response> {
    return this.#counted(visitor, async () => {
      const turn = await visitor.face.ask(send, signal)
      return turn.ok ? syncAnswer(turn.value) : failed(turn.error)
    })
  }

  /** One more message of whoever asks, unless they have sent too many. */
  async #counted({ caller }: Visitor, send: () => Promise<Response>): Promise<Response> {
    const permit = await this.#limiter?.message(caller)
    if (permit?.ok === false) return failed(permit.error)
    try {
      return await send()
    } finally {
      permit?.value.release()
    }
  }

  async #read(context: RouteContext, request: Request): Promise<Result<Read, Failure>> {
    const key = keyOf(request)
    if (!key.ok) return key
    const body = await readJson(request, this.#schema)
    if (!body.ok) return body
    const visitor = this.#visitors(context, body.value.scope_id)
    return visitor.ok ? ok({ body: body.value, send: toSend(body.value, key.value, request.headers), visitor: visitor.value }) : visitor
  }
}

interface Read { readonly visitor: Visitor; readonly body: ChatRequest; readonly send: SendRequest }

/** The key of the message that is sent, or whose turn is followed. */
function keyOf(request: Request): Result<string | undefined, Failure> {
  const key = idempotencyKey.safeParse(request.headers.get('idempotency-key'))
  return key.success ? ok(key.data ?? undefined) : err(failure('VALIDATION_ERROR', `Idempotency-Key: ${key.error.issues[0]?.message ?? 'is not valid'}`))
}

function wantsJson(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/event-stream')
}

const WAITS = 'a question of this session is open: this message is kept, and is answered once that is settled'

/** Says after `init` that the message waits, where it does. */
function told({ frames, waits }: Sent): FrameCursor {
  if (!waits) return frames
  let warned = false
  const take = (): ReturnType<FrameCursor['take']> => frames.take().flatMap((frame) => {
    if (warned || frame.event.type !== 'init') return [frame]
    warned = true
    return [frame, { ...frame, event: { type: 'warning', message: WAITS, code: 'RUN_ACTIVE' } }]
  })
  const wait = (): Promise<boolean> => frames.wait()
  return { take, wait, close: () => frames.close(), async *[Symbol.asyncIterator]() { while (await wait()) yield* take() } }
}
