import {
  err,
  failure,
  ok,
  type Failure,
  type Frame,
  type FrameId,
  type Result,
  type RouteContext,
} from '@amodal/sdk'
import { eventStream, parseFrameId } from '@amodal/sdk/wire'
import { failed } from '@amodal/plugin-http/tokens'
import { inSession } from './sessions.ts'
import type { Visitors } from './visitor.ts'

export interface Follow {
  readonly visitors: Visitors
  /** The frame that the client saw last; left out: from now on. */
  readonly from: FrameId | undefined
  /** Of the message whose turn it is to be; left out: of all. */
  readonly key?: string | undefined
  readonly text: (frame: Frame) => string
  readonly events?: 'all'
}

/** The answer to a head of what would be a stream. */
export const streamHead = (): Response =>
  new Response(null, { headers: { 'content-type': 'text/event-stream' } })

/** The frame that a client says it saw last; `otherwise` where it says none. */
export function lastSeen(
  request: Request,
  otherwise: FrameId | undefined,
): Result<FrameId | undefined, Failure> {
  const last = request.headers.get('last-event-id')
  if (last === null) return ok(otherwise)
  const from = parseFrameId(last)
  return from
    ? ok(from)
    : err(
        failure(
          'VALIDATION_ERROR',
          'Last-Event-ID: is not the id of a frame (seq.fence.attempt.n)',
        ),
      )
}

/**
 * Goes on with a session's stream. A client that has seen all of a session at rest is answered
 * `204`: a browser's `EventSource` reconnects after a stream that ended, for ever, unless it is
 * told so.
 */
export function follow(
  context: RouteContext,
  request: Request,
  id: string,
  { visitors, from, key, text, events }: Follow,
): Promise<Response> {
  return inSession(id, async (session) => {
    const visitor = visitors(context)
    if (!visitor.ok) return failed(visitor.error)
    if (request.method === 'HEAD') return streamHead()
    const frames = await visitor.value.face.follow(session, from, key, undefined, events)
    if (!frames.ok) return failed(frames.error)
    const hasSeenAll =
      request.headers.has('last-event-id') &&
      frames.value.atRest === true &&
      !(await frames.value.wait())
    return hasSeenAll ? new Response(null, { status: 204 }) : eventStream(frames.value, { text })
  })
}
