import { sleep, type AskId, type PendingAsk, type SessionId } from '@amodal/kernel'
import type { AgentEvent } from '../agent-event.ts'
import type { AgentClient, FrameCursor } from '../ports/agent.ts'
import type { Frame } from '../ports/frame.ts'
import { streamResponse, type EventSink } from './sse.ts'

/** A turn that is written to a client whose protocol has no place for a stream that waits. */
export interface StreamedTurn {
  readonly client: Pick<AgentClient, 'session'>
  readonly session: SessionId
  /** Up to the `done` of one turn. */
  readonly frames: FrameCursor
  /**
   * Questions that are open as the stream begins: those that are not among `frames`. `all`: another
   * run waits, and nothing of this turn comes before it goes on (`Sent.isBehindQuestion`).
   */
  readonly open?: readonly AskId[] | 'all'
  /** Those of them that were answered just now: the run may not have read it yet. */
  readonly answered?: readonly AskId[]
}

/** How a protocol writes a turn. Each method returns text of the stream, or nothing of it. */
export interface TurnWriter {
  /** Before any frame. */
  begin(): string
  frame(frame: Frame): string
  /** The end of a stream whose run waits for a person. */
  parked(asks: readonly PendingAsk[]): string
  /** @param cut the frames have ended before the turn did */
  end(cut: boolean): string
}

export interface TurnStreamOptions {
  /** ms between two comment lines that keep proxies from closing a quiet stream; 15,000. */
  readonly heartbeatMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

const HEARTBEAT = ':\n\n'
const HEARTBEAT_MS = 15_000
/** ms of silence after a question before the state of the run is read; and the longest. */
const SOON = 10
const SELDOM = 1_000
/** ms that frames of an entry may come after it. */
const LATE = 250

/**
 * Answers with a turn as server-sent events, and ends with it, or where it waits for a person: for
 * protocols in which the answer is a request of its own.
 *
 * @returns status 200, `text/event-stream`; a reader that leaves cancels nothing
 *
 * @example
 * const sent = await client.send({ text: 'hello' })
 * return sent.ok ? turnStream({ client, ...sent.value }, writer) : failed(sent.error)
 */
export function turnStream(
  turn: StreamedTurn,
  writer: TurnWriter,
  { heartbeatMs = HEARTBEAT_MS, headers }: TurnStreamOptions = {},
): Response {
  return streamResponse(
    { send: (sink) => sendTurn(turn, writer, sink, heartbeatMs) },
    { unread: () => turn.frames.close(), ...(headers && { headers }) },
  )
}

/**
 * Reads a turn to its end, or to where it waits for a person, for a caller that wants no stream:
 * the writer has what came of it.
 *
 * @param signal of the caller: one that leaves ends the reading, and cancels nothing
 */
export const readTurn = (
  turn: StreamedTurn,
  writer: TurnWriter,
  signal: AbortSignal,
): Promise<void> => sendTurn(turn, writer, unread(signal), HEARTBEAT_MS)

/** If the text is not read. */
const unread = (signal: AbortSignal): EventSink => ({
  get closed() {
    return signal.aborted
  },
  write: () => true,
  drained: () => Promise.resolve(),
  onClosed: (listener) => signal.addEventListener('abort', listener, { once: true }),
  end: () => undefined,
})

async function sendTurn(
  turn: StreamedTurn,
  writer: TurnWriter,
  sink: EventSink,
  heartbeatMs: number,
): Promise<void> {
  const stop = new AbortController()
  const close = (): void => {
    turn.frames.close()
    stop.abort()
  }
  sink.onClosed(close)
  if (sink.closed) close()
  const heartbeat = setInterval(() => sink.write(HEARTBEAT), heartbeatMs)
  heartbeat.unref?.()
  try {
    sink.write(writer.begin())
    const end = await writeFrames(turn, writer, sink, stop.signal)
    if (!sink.closed)
      sink.write(Array.isArray(end) ? writer.parked(end) : writer.end(end === 'cut'))
    sink.end()
  } finally {
    clearInterval(heartbeat)
    close()
  }
}

type End = 'done' | 'cut' | PendingAsk[]

async function writeFrames(
  turn: StreamedTurn,
  writer: TurnWriter,
  sink: EventSink,
  signal: AbortSignal,
): Promise<End> {
  const watch = new QuestionWatch(turn, signal)
  let next = turn.frames.wait()
  while (!sink.closed) {
    const came = watch.isAsking ? await orSilence(next, watch.silence, signal) : await next
    if (came === undefined) {
      const asks = await watch.asks()
      // Frames that arrived meanwhile are sent first.
      if (asks.length > 0 && (await orSilence(next, 0, signal)) === undefined) return asks
      continue
    }
    if (!came) return 'cut'
    const frames = turn.frames.take()
    if (!sink.write(frames.map((frame) => writer.frame(frame)).join(''))) await sink.drained()
    if (frames.some(({ event }) => event.type === 'done')) return 'done'
    watch.saw(frames)
    next = turn.frames.wait()
  }
  return 'cut'
}

/** Finds out whether a run waits for a person, which no frame tells. */
class QuestionWatch {
  readonly #turn: StreamedTurn
  readonly #signal: AbortSignal
  readonly #known: Set<string>
  #seq = 0
  /** The head that was waited for in vain: it tells nothing. */
  #quiet = 0
  isAsking: boolean
  /** ms */
  silence = SOON

  constructor(turn: StreamedTurn, signal: AbortSignal) {
    this.#turn = turn
    this.#signal = signal
    this.#known = new Set(turn.open === 'all' ? [] : turn.open)
    this.isAsking = turn.open !== undefined
  }

  saw(frames: readonly Frame[]): void {
    for (const { id, event } of frames) {
      this.#seq = id.seq
      const ask = askOf(event)
      if (ask === undefined) continue
      this.#known.add(ask)
      this.isAsking = true
    }
    this.silence = SOON
  }

  /**
   * The questions that the run waits for; none if it does not wait, if the session cannot be read,
   * or if frames that report them are still pending.
   */
  async asks(): Promise<PendingAsk[]> {
    this.silence = Math.min(this.silence * 2, SELDOM)
    const { client, session, open, answered = [] } = this.#turn
    const view = await client.session(session, this.#signal, this.#seq)
    if (!view.ok || view.value.state !== 'confirming') return []
    const { asks, row } = view.value
    if (asks.some(({ id }) => answered.includes(id))) return []
    if (open === 'all') return [...asks]
    const isBehind = this.#seq < row.head && this.#quiet < row.head
    if (isBehind) {
      this.#quiet = row.head
      this.silence = LATE
    }
    return isBehind || !asks.every(({ id }) => this.#known.has(id)) ? [] : [...asks]
  }
}

function askOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'confirmation_required':
      return event.id
    case 'ask_user':
    case 'ask_choice':
      return event.ask_id
    default:
      return undefined
  }
}

/** `undefined` where nothing came for so many ms. */
async function orSilence(
  next: Promise<boolean>,
  ms: number,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const came = new AbortController()
  const silence = sleep(ms, AbortSignal.any([signal, came.signal])).then(() => undefined)
  const first = await Promise.race([next, silence])
  came.abort()
  return first
}
