import {
  err,
  failure,
  messageOf,
  ok,
  onAbort,
  type AgentClient,
  type AgentEvent,
  type Failure,
  type Frame,
  type Result,
  type SendRequest,
} from '@amodal/sdk'

/** What one message came to. */
export interface TurnRead {
  readonly text: string
  readonly events: readonly AgentEvent[]
  readonly reason: Extract<AgentEvent, { type: 'done' }>['reason'] | undefined
}

/**
 * Sends a message and reads its turn to the end. Questions on the way are answered by the case: a
 * reader that stops at them, as `ask` does, would miss what comes behind.
 */
export async function readTurn(
  client: AgentClient,
  request: SendRequest,
  signal: AbortSignal,
): Promise<Result<TurnRead, Failure>> {
  const sent = await client.send(request, signal)
  if (!sent.ok) return sent
  const { frames } = sent.value
  const leave = onAbort(signal, () => frames.close())
  let read: Frame[] = []
  try {
    for await (const frame of frames) {
      const { event } = frame
      if (event.type !== 'reset') read.push(frame)
      else
        read = read.filter(
          ({ id }) => id.seq < event.after_seq || (id.seq === event.after_seq && id.n === 0),
        )
    }
  } finally {
    leave()
  }
  if (signal.aborted) return err(failure('TIMEOUT', messageOf(signal.reason)))
  const events = read.map(({ event }) => event)
  return ok({
    text: events.map((event) => (event.type === 'text_delta' ? event.content : '')).join(''),
    events,
    reason: events.findLast((event) => event.type === 'done')?.reason,
  })
}
