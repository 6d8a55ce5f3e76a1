import {
  err,
  ok,
  onAbort,
  type AgentClient,
  type AgentEvent,
  type DoneReason,
  type Failure,
  type Frame,
  type Result,
  type SendRequest,
} from '@amodal/sdk'

/** What a turn of a trial came to. */
export interface TurnRead {
  readonly text: string
  readonly events: readonly AgentEvent[]
  /** `undefined`: it waits for a person, or took too long. */
  readonly reason: DoneReason | undefined
}

/**
 * Sends a message and reads its turn to the end. `AgentClient.ask` returns at the first question,
 * and in a trial the case answers questions while the turn goes on.
 */
export async function readTurn(
  client: AgentClient,
  request: SendRequest,
  signal: AbortSignal,
): Promise<Result<TurnRead, Failure>> {
  const sent = await client.send(request, signal)
  if (!sent.ok) return err(sent.error)
  const { frames: cursor } = sent.value
  const leave = onAbort(signal, () => cursor.close())
  let frames: Frame[] = []
  let reason: DoneReason | undefined
  try {
    for await (const frame of cursor) {
      const { event } = frame
      // What came behind that entry is sent once more.
      if (event.type === 'reset') frames = frames.filter(({ id }) => isBefore(id, event.after_seq))
      else frames.push(frame)
      if (event.type === 'done') reason = event.reason
    }
  } finally {
    leave()
  }
  const events = frames.map(({ event }) => event)
  const text = events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
  return ok({ text, events, reason })
}

const isBefore = ({ n, seq }: Frame['id'], after: number): boolean =>
  seq < after || (seq === after && n === 0)
