import type { FrameId } from '../ports/frame.ts'
import type { WireEvent } from '../wire/wire-event.ts'
import { EventParser } from './event-parser.ts'
import type { Exchange } from './exchange.ts'
import { ClientError, type ClientEvent, type OutgoingMessage } from './types.ts'

/** The server sends a comment every 15 s: silence for three times as long is a dead connection. */
const SILENCE_MS = 45_000
const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

export interface ResumeOptions {
  /** Tries in a row that bring nothing new before the stream gives up; 10 where it is not given. */
  readonly tries?: number
}

/** Where to go on. */
interface Place {
  readonly session: string
  readonly last?: string
  /** Of the message whose turn it is. */ readonly key?: string
}

/** Asks for a stream: anew, or from a place on. */
type Open = (place: Place | undefined) => Promise<Response>

/**
 * Sends a message and gives the events of its turn, gapless over cut connections: it goes on after
 * the last event that arrived. Before the first one it sends the message again under the same key,
 * which the server takes once.
 */
export function turnStream(
  exchange: Exchange,
  message: OutgoingMessage,
  options: ResumeOptions,
): AsyncGenerator<ClientEvent, void, undefined> {
  const { text, session, images, context, maxTurns, signal, key = crypto.randomUUID() } = message
  const post = (): Promise<Response> =>
    exchange.open('/chat/stream', {
      method: 'POST',
      signal,
      headers: { 'idempotency-key': key, accept: 'text/event-stream' },
      body: { message: text, session_id: session, images, context, max_turns: maxTurns },
    })
  return gapless(
    (place) => (place ? resume(exchange, { ...place, key }, signal) : post()),
    undefined,
    signal,
    options,
  )
}

/**
 * Gives the events of the run in progress, from a place on where one is given; ends at once where
 * nothing runs.
 */
export function followStream(
  exchange: Exchange,
  place: Place,
  signal: AbortSignal | undefined,
  options: ResumeOptions,
): AsyncGenerator<ClientEvent, void, undefined> {
  return gapless((now = place) => resume(exchange, now, signal), place, signal, options)
}

const resume = (
  exchange: Exchange,
  { session, last, key }: Place,
  signal: AbortSignal | undefined,
): Promise<Response> =>
  exchange.open(`/chat/stream/${encodeURIComponent(session)}`, {
    signal,
    headers: {
      accept: 'text/event-stream',
      ...(last !== undefined && { 'last-event-id': last }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  })

async function* gapless(
  open: Open,
  first: Place | undefined,
  signal: AbortSignal | undefined,
  { tries = 10 }: ResumeOptions,
): AsyncGenerator<ClientEvent, void, undefined> {
  let place = first
  for (let failed = 0; ; failed++) {
    let why = new ClientError(
      'UNREACHABLE',
      'the stream ended before its turn did, and going on brought nothing new',
    )
    try {
      for await (const event of eventsOf(await open(place), signal)) {
        failed = 0
        const session: string | undefined =
          event.type === 'init' ? event.session_id : place?.session
        if (session !== undefined) place = { session, last: idOf(event.frame) }
        yield event
        // A session that is set aside goes on when somebody says so: there is nothing to wait for.
        if (event.type === 'done' || (event.type === 'error' && event.code === 'RUN_SET_ASIDE'))
          return
      }
      if (first && place === first) return // nothing runs in the session that was asked for
    } catch (cause) {
      if (signal?.aborted || !(cause instanceof ClientError) || !mayPass(cause)) throw cause
      why = cause
    }
    if (failed >= tries) throw why
    await wait(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failed), signal)
  }
}

/**
 * Another try may get through: nobody answered, or somebody who is starting, stopping or
 * overloaded.
 */
const mayPass = ({ code, status }: ClientError): boolean =>
  code === 'UNREACHABLE' || status === 429 || status === 502 || status === 503 || status === 504

async function* eventsOf(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<ClientEvent, void, undefined> {
  const reader = response.body?.getReader()
  if (!reader) return
  const parser = new EventParser()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const chunk = await within(reader.read(), SILENCE_MS)
      if (chunk.done) return
      for (const { id, data } of parser.push(decoder.decode(chunk.value, { stream: true }))) {
        const frame = frameOf(id)
        const event: unknown = JSON.parse(data)
        if (frame && isEvent(event)) yield { ...event, frame }
      }
    }
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new ClientError('UNREACHABLE', 'the stream was cut', undefined, cause)
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/** What the type says beyond its name is the server's contract. */
const isEvent = (value: unknown): value is WireEvent =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const idOf = ({ seq, fence, attempt, n }: FrameId): string => `${seq}.${fence}.${attempt}.${n}`

function frameOf(id: string | undefined): FrameId | undefined {
  const [seq, fence, attempt, n] = (id ?? '').split('.').map(Number)
  return seq === undefined || fence === undefined || attempt === undefined || n === undefined
    ? undefined
    : { seq, fence, attempt, n }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
