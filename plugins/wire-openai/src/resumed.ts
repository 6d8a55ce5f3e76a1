import { ok, type AgentClient, type Failure, type Result, type SessionView } from '@amodal/sdk'
import { streamResponse, turnStream, type TurnWriter } from '@amodal/sdk/wire'
import { recorded } from './recorded.ts'
import type { RunSegment } from './run-segment.ts'
import { watched, type ParkedTurn } from './run-turn.ts'
import type { ResponsePlace } from './wire-id.ts'

interface Resumed {
  readonly place: ResponsePlace
  readonly segment: RunSegment
  readonly view: SessionView
  readonly model: string
  readonly origin: string
  /** The last event that the client has. */
  readonly after: number
}

/** The stream of a response behind an event: what the journal has of it, and what comes. */
export async function resumed(
  client: AgentClient,
  resume: Resumed,
): Promise<Result<Response, Failure>> {
  const { place, segment, view } = resume
  const parked: ParkedTurn = { entries: [] }
  const { writer, text, isOver } = recorded({ ...resume, parked })
  if (isOver)
    return ok(
      streamResponse({
        send: (sink) => {
          sink.write(text)
          sink.end()
          return Promise.resolve()
        },
      }),
    )
  const seq = segment.entries.at(-1)?.seq ?? view.row.head
  const frames = await client.follow(
    place.session,
    { seq, fencingToken: 0, attempt: 0, n: 0 },
    segment.opening.key,
  )
  if (!frames.ok) return frames
  const from = (segment.entries[0]?.seq ?? view.row.head + 1) - 1
  const begun: TurnWriter = {
    begin: () => text,
    frame: (frame) => writer.frame(frame),
    parked: (asks) => writer.parked(asks),
    end: () => writer.end(),
  }
  return ok(
    turnStream(
      { client: watched({ client, from }, parked), session: place.session, frames: frames.value },
      begun,
    ),
  )
}
