import {
  failure,
  err,
  ok,
  onAbort,
  type AgentClient,
  type AgentEvent,
  type Failure,
  type Frame,
  type FrameCursor,
  type PendingAsk,
  type Result,
  type SessionId,
} from '@amodal/sdk'

/**
 * The turn of a message to read: its session, its key, and its frames from the first on. For a
 * reader, a turn is all of the run of a message.
 */
export interface TurnSource {
  readonly session: SessionId
  readonly key: string
  readonly frames: FrameCursor
  /** The message waits behind a run that is parked for a person. */
  readonly waits?: boolean
  /** Questions that were just answered and that the run may still report as open. */
  readonly answered?: ReadonlySet<string>
}

/** A turn that has ended or waits for a person. */
export interface Turn {
  readonly session: SessionId
  readonly key: string
  readonly text: string
  readonly events: readonly AgentEvent[]
  /** The seq of the last frame. */
  readonly seq: number
  readonly done: Extract<AgentEvent, { type: 'done' }> | undefined
  readonly pending: readonly PendingAsk[]
}

const QUESTIONS: ReadonlySet<string> = new Set<AgentEvent['type']>([
  'confirmation_required',
  'ask_user',
  'ask_choice',
])
const NONE: ReadonlySet<string> = new Set()
/** After every entry: only the open questions of the session are requested. */
const NO_ENTRIES = Number.MAX_SAFE_INTEGER

/**
 * Reads a turn to its end or to an open question. Stopping does not cancel the run.
 *
 * @param tell is called with each batch of frames
 * @returns `CANCELLED` where `signal` aborts first
 */
export async function readTurn(
  client: AgentClient,
  { session, key, frames, waits = false, answered = NONE }: TurnSource,
  tell: (frames: readonly Frame[]) => void,
  signal: AbortSignal,
): Promise<Result<Turn, Failure>> {
  const read = new Frames()
  const turn = (pending: readonly PendingAsk[]): Result<Turn, Failure> =>
    ok({
      session,
      key,
      text: read.text,
      events: read.events,
      seq: read.seq,
      done: read.done,
      pending,
    })
  const leave = onAbort(signal, () => frames.close())
  try {
    if (waits) {
      const open = await openAsks(client, session, answered, signal)
      if (!open.ok) return open
      if (open.value.length > 0) return turn(open.value)
    }
    while (await frames.wait()) {
      const batch = frames.take()
      read.add(batch)
      tell(batch)
      if (read.done) return turn([])
      if (!batch.some(({ event }) => QUESTIONS.has(event.type))) continue
      // A replayed question may have an answer already.
      const open = await openAsks(client, session, answered, signal)
      if (!open.ok) return open
      if (open.value.length > 0) return turn(open.value)
    }
    return signal.aborted ? err(failure('CANCELLED', 'the request was cancelled')) : turn([])
  } finally {
    leave()
    frames.close()
  }
}

async function openAsks(
  client: AgentClient,
  session: SessionId,
  answered: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Result<readonly PendingAsk[], Failure>> {
  const view = await client.session(session, signal, NO_ENTRIES)
  return view.ok ? ok(view.value.asks.filter(({ id }) => !answered.has(id))) : view
}

/** Collects frames, and removes those that a `reset` invalidates. */
class Frames {
  done: Turn['done']
  seq = 0
  #frames: Frame[] = []

  get events(): readonly AgentEvent[] {
    return this.#frames.map(({ event }) => event)
  }

  get text(): string {
    return this.events.map((event) => (event.type === 'text_delta' ? event.content : '')).join('')
  }

  add(frames: readonly Frame[]): void {
    for (const frame of frames) {
      const { event, id } = frame
      this.seq = Math.max(this.seq, id.seq)
      if (event.type === 'reset')
        this.#frames = this.#frames.filter(
          ({ id: { seq, n } }) => seq < event.after_seq || (seq === event.after_seq && n === 0),
        )
      else this.#frames.push(frame)
      if (event.type === 'done') this.done = event
    }
  }
}
