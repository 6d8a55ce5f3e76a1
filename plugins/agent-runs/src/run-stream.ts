import {
  failure,
  ok,
  err,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
  type SessionId,
} from '@amodal/sdk'
import { type EventSink, isRunEnded, streamResponse } from '@amodal/sdk/wire'
import type { RunEnd } from './run-end.ts'
import type { RunEvent } from './run-events.ts'
import type { RunReader } from './run-reader.ts'
import type { RunService } from './run-service.ts'
import { statusOf, type RunView } from './run-status.ts'

const PING = ':ping\n\n'

/** Place of an event: its entry, and which of its events. */
interface Cursor {
  readonly seq: number
  readonly n: number
}

interface StreamParts {
  readonly end: RunEnd
  readonly reader: RunReader
  readonly service: RunService
  readonly seconds: number
  readonly pingMs: number
  readonly perPrincipal: number
}

/** Streams runs as server-sent events, all of them from the journal. */
export class RunStreams {
  readonly #parts: StreamParts
  readonly #open = new Map<string, number>()

  constructor(parts: StreamParts) {
    this.#parts = parts
  }

  /**
   * `state` first, `progress` for each event behind the cursor, and `state` once the run ended or
   * asks a person; `timeout` where that takes too long.
   *
   * @returns `undefined` where there is no such run
   */
  async open(
    caller: Caller,
    session: SessionId,
    lastEventId: string | null,
    signal: AbortSignal,
  ): Promise<Result<Response | undefined, Failure>> {
    const cursor = cursorOf(lastEventId)
    if (!cursor.ok) return cursor
    const found = await this.#parts.reader.read(caller, session)
    if (!found.ok) return found
    if (!found.value) return ok(undefined)
    const leave = this.#enter(caller)
    if (!leave)
      return err(
        failure('RATE_LIMITED', 'this principal follows too many runs at once', {
          details: { retry_after_seconds: 5 },
        }),
      )
    return ok(
      streamResponse(
        {
          send: async (sink) => {
            try {
              await this.#send({ caller, session, cursor: cursor.value, signal }, sink)
            } finally {
              leave()
            }
          },
        },
        { unread: leave },
      ),
    )
  }

  async #send(
    asked: {
      readonly caller: Caller
      readonly session: SessionId
      readonly cursor: Cursor
      readonly signal: AbortSignal
    },
    sink: EventSink,
  ): Promise<void> {
    const { seconds, pingMs } = this.#parts
    const gone = new AbortController()
    sink.onClosed(() => gone.abort())
    const time = AbortSignal.timeout(seconds * 1_000)
    const ping = setInterval(() => sink.write(PING), pingMs)
    ping.unref()
    try {
      const isOver = await this.#follow(
        asked,
        sink,
        AbortSignal.any([gone.signal, asked.signal, time]),
      )
      if (!isOver && time.aborted && !sink.closed)
        sink.write(
          'event: timeout\ndata: {"message":"the stream is over; go on from its last id"}\n\n',
        )
    } finally {
      clearInterval(ping)
    }
    sink.end()
  }

  /** @returns whether the run ended, or asks a person */
  async #follow(
    { caller, session, cursor }: { caller: Caller; session: SessionId; cursor: Cursor },
    sink: EventSink,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { end, reader, service } = this.#parts
    let isFirst = true
    for await (const look of reader.watch(caller, session, signal)) {
      if (!look.ok) return tellFailure(look.error, sink)
      const settled = await end.settled(look.value.view)
      if (!settled.ok) return tellFailure(settled.error, sink)
      const view: RunView = settled.value
      if (isFirst) sink.write(stateFrame(await service.state(view)))
      const news = look.value.events.filter((event) => isBehind(event, cursor))
      if (!sink.write(news.map(progressFrame).join(''))) await sink.drained()
      const status = statusOf(view)
      if (isRunEnded(status) || status === 'awaiting_input') {
        if (!isFirst || news.length > 0) sink.write(stateFrame(await service.state(view)))
        return true
      }
      isFirst = false
    }
    return false
  }

  /** Counts a stream of a principal. @returns what ends it; `undefined` where there are too many */
  #enter({ tenant, principal }: Caller): (() => void) | undefined {
    const key = `${tenant} ${principal}`
    const open = this.#open.get(key) ?? 0
    if (open >= this.#parts.perPrincipal) return undefined
    this.#open.set(key, open + 1)
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      const left = (this.#open.get(key) ?? 1) - 1
      if (left === 0) this.#open.delete(key)
      else this.#open.set(key, left)
    }
  }
}

const stateFrame = (state: JsonObject): string => `event: state\ndata: ${JSON.stringify(state)}\n\n`

function progressFrame({ seq, n, ...event }: RunEvent): string {
  return `id: ${seq}.${n}\nevent: progress\ndata: ${JSON.stringify(event)}\n\n`
}

function tellFailure({ code, message }: Failure, sink: EventSink): true {
  sink.write(`event: error\ndata: ${JSON.stringify({ code, message })}\n\n`)
  return true
}

const isBehind = (event: RunEvent, { seq, n }: Cursor): boolean =>
  event.seq > seq || (event.seq === seq && event.n > n)

function cursorOf(text: string | null): Result<Cursor, Failure> {
  if (text === null) return ok({ seq: 0, n: 0 })
  const match = /^(\d{1,15})\.(\d{1,6})$/.exec(text)
  if (!match) return err(failure('VALIDATION_ERROR', 'Last-Event-ID: is no id of this stream'))
  const [seq = 0, n = 0] = match.slice(1).map(Number)
  return ok({ seq, n })
}
