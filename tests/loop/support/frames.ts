import type { AgentEvent, Frame, FrameCursor, SessionId } from '@amodal/sdk'

/** What a reader got of one turn. */
export interface Told {
  readonly session: SessionId
  readonly frames: readonly Frame[]
  readonly events: readonly AgentEvent[]
  /** The words it is left with. */
  readonly text: string
}

const WAITS: ReadonlySet<string> = new Set(['confirmation_required', 'ask_user', 'ask_choice'])

/** Frames up to `done`, to a question, to `most`, or to where the stream ends. */
export async function framesOf(cursor: FrameCursor, most = Infinity): Promise<readonly Frame[]> {
  const frames: Frame[] = []
  while (await cursor.wait()) {
    frames.push(...cursor.take())
    if (
      frames.some(({ event }) => event.type === 'done' || WAITS.has(event.type)) ||
      frames.length >= most
    )
      break
  }
  cursor.close()
  return frames
}

/** Frames up to the end of the stream, questions or not. */
export async function allFrames(cursor: FrameCursor): Promise<readonly Frame[]> {
  const frames: Frame[] = []
  while (await cursor.wait()) frames.push(...cursor.take())
  return frames
}

/** What a client is left with: `reset` takes back what came after that entry, text and facts. */
export function leftWith(frames: readonly Frame[]): readonly Frame[] {
  return frames.reduce<readonly Frame[]>((kept, frame) => {
    const { event } = frame
    return event.type === 'reset'
      ? kept.filter(
          ({ id }) => id.seq < event.after_seq || (id.seq === event.after_seq && id.n === 0),
        )
      : [...kept, frame]
  }, [])
}

export function told(session: SessionId, frames: readonly Frame[]): Told {
  const text = leftWith(frames)
    .map(({ event }) => (event.type === 'text_delta' ? event.content : ''))
    .join('')
  return { session, frames, events: frames.map(({ event }) => event), text }
}

export const eventsOf = <T extends AgentEvent['type']>(
  { events }: Pick<Told, 'events'>,
  type: T,
): readonly Extract<AgentEvent, { type: T }>[] =>
  events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type)
