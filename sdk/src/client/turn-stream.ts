import type { FrameId } from '../ports/frame.ts'
import type { WireEvent } from '../wire/wire-event.ts'
import { overCuts, readEvents } from './event-reader.ts'
import type { HttpTransport } from './http-transport.ts'
import { randomKey } from './random-key.ts'
import type { ClientEvent, MessageInput } from './types.ts'

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
 * Sends a message and yields the events of its turn, without gaps across broken connections: it
 * resumes after the last received event. If none was received, it resends the message under the
 * same key, which the server accepts once.
 */
export function turnStream(
  transport: HttpTransport,
  message: MessageInput,
  options: ResumeOptions,
): AsyncGenerator<ClientEvent, void, undefined> {
  const { text = '', session, images, assets, context, maxTurns, responseSchema, signal } = message
  const { key = randomKey() } = message
  const post = (): Promise<Response> =>
    transport.open('/chat/stream', {
      method: 'POST',
      signal,
      headers: { 'idempotency-key': key, accept: 'text/event-stream' },
      body: {
        message: text,
        session_id: session,
        images,
        assets,
        context,
        max_turns: maxTurns,
        response_schema: responseSchema,
      },
    })
  return gapless(
    (place) => (place ? resume(transport, { ...place, key }, signal) : post()),
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
  transport: HttpTransport,
  place: Place,
  signal: AbortSignal | undefined,
  options: ResumeOptions,
): AsyncGenerator<ClientEvent, void, undefined> {
  return gapless((now = place) => resume(transport, now, signal), place, signal, options)
}

const resume = (
  transport: HttpTransport,
  { session, last, key }: Place,
  signal: AbortSignal | undefined,
): Promise<Response> =>
  transport.open(`/chat/stream/${encodeURIComponent(session)}`, {
    signal,
    headers: {
      accept: 'text/event-stream',
      ...(last !== undefined && { 'last-event-id': last }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  })

function gapless(
  open: Open,
  first: Place | undefined,
  signal: AbortSignal | undefined,
  { tries }: ResumeOptions,
): AsyncGenerator<ClientEvent, void, undefined> {
  let place = first
  return overCuts(attempt, {
    signal,
    tries,
    why: 'the stream ended before its turn did, and going on brought nothing new',
  })

  async function* attempt(): AsyncGenerator<ClientEvent, boolean, undefined> {
    let isSetAside = false
    for await (const event of eventsOf(await open(place), signal)) {
      place = placeAfter(event, place)
      yield event
      if (event.type === 'done') return true
      isSetAside ||= event.type === 'error' && event.code === 'RUN_SET_ASIDE'
    }
    // A session that is set aside continues only when a person resumes it: do not wait.
    if (isSetAside) return true
    return first !== undefined && place === first // nothing runs in the session that was asked for
  }
}

function placeAfter(event: ClientEvent, before: Place | undefined): Place | undefined {
  const session = event.type === 'init' ? event.session_id : before?.session
  return session === undefined ? before : { session, last: idOf(event.frame) }
}

async function* eventsOf(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<ClientEvent, void, undefined> {
  for await (const { id, data } of readEvents(response, signal)) {
    const frame = frameOf(id)
    const event: unknown = JSON.parse(data)
    if (frame && isEvent(event)) yield { ...event, frame }
  }
}

/** What the type says beyond its name is the server's contract. */
const isEvent = (value: unknown): value is WireEvent =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const idOf = ({ seq, fencingToken, attempt, n }: FrameId): string =>
  `${seq}.${fencingToken}.${attempt}.${n}`

function frameOf(id: string | undefined): FrameId | undefined {
  const [seq, fencingToken, attempt, n] = (id ?? '').split('.').map(Number)
  return seq === undefined || fencingToken === undefined || attempt === undefined || n === undefined
    ? undefined
    : { seq, fencingToken, attempt, n }
}
