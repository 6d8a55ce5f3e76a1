import { ClientError, EventParser } from '@amodal/sdk/client'
import type { RunEvent } from './run-events.ts'
import { failureOf, isEnded, readRun, runPath, type RunDetails } from './runs.ts'
import { isUnauthorized, problemOf, type Server } from './server.ts'

/** What is known of a run that is followed. */
export interface FollowedRun {
  /** `undefined` until it is known. */
  readonly run: RunDetails | undefined
  readonly events: readonly RunEvent[]
  /** Its events come as they happen; `false` while the stream is opened, and once it is over. */
  readonly isLive: boolean
  readonly problem: string | undefined
}

/** ms without a byte after which a stream counts as broken: the server pings every 15 s. */
const SILENCE_MS = 45_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000
/** ms after which a run that waits for a person is read again, whatever was received. */
const WAITING_MS = 10_000

/**
 * Follows a run by its stream. The stream ends where the run asks a person, at the end of the run
 * and after some minutes; it is opened again behind the last event that was received. A hidden tab
 * closes it, since a browser has six connections for all tabs, and catches up once it is seen.
 */
export class RunStream {
  readonly #server: Server
  readonly #id: string
  readonly #changed: (followed: FollowedRun) => void
  #followed: FollowedRun = { run: undefined, events: [], isLive: false, problem: undefined }
  #last: string | undefined
  #failed = 0
  #leave = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false
  #isClosed = false
  /** States that were received: one that was asked for before the last of them is old. */
  #states = 0

  constructor(server: Server, id: string, changed: (followed: FollowedRun) => void) {
    this.#server = server
    this.#id = id
    this.#changed = changed
  }

  /** @returns ends it */
  start(): () => void {
    const seen = (): void => {
      this.#stop()
      if (document.visibilityState === 'visible' && !this.#isOver) this.#open()
    }
    document.addEventListener('visibilitychange', seen)
    seen()
    return () => {
      document.removeEventListener('visibilitychange', seen)
      this.#isClosed = true
      this.#stop()
    }
  }

  /** Something of the run has changed: opens the stream now, where it is not open. */
  wake(): void {
    const { isLive, run } = this.#followed
    if (isLive || document.visibilityState !== 'visible') return
    if (run && isEnded(run.status)) return
    this.#isOver = false
    this.#stop()
    this.#open()
  }

  /** Reads where the run stands. */
  async refresh(): Promise<void> {
    const number = ++this.#states
    try {
      const run = await readRun(this.#server, this.#id)
      if (number === this.#states) this.#set({ run, problem: undefined })
    } catch (cause) {
      if (number === this.#states) this.#set({ problem: problemOf(cause) })
    }
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#leave.abort()
  }

  #set(change: Partial<FollowedRun>): void {
    if (this.#isClosed) return
    this.#followed = { ...this.#followed, ...change }
    this.#changed(this.#followed)
  }

  #open(): void {
    this.#leave = new AbortController()
    const { signal } = this.#leave
    void this.#read(signal).then((wait) => {
      if (signal.aborted) return
      this.#set({ isLive: false })
      if (wait === undefined) this.#isOver = true
      else this.#timer = setTimeout(() => this.#open(), wait)
    })
  }

  /** @returns ms after which the stream is opened again; `undefined`: nothing comes any more */
  async #read(signal: AbortSignal): Promise<number | undefined> {
    try {
      await this.#receive(signal)
    } catch (cause) {
      if (signal.aborted) return undefined
      const isFinal =
        isUnauthorized(cause) ||
        (cause instanceof ClientError && (cause.status === 403 || cause.status === 404))
      this.#set({ problem: problemOf(cause) })
      if (isFinal) return undefined
      return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failed++)
    }
    const status = this.#followed.run?.status
    if (status === undefined) return FIRST_WAIT_MS
    if (isEnded(status)) return undefined
    return status === 'awaiting_input' ? WAITING_MS : FIRST_WAIT_MS
  }

  async #receive(signal: AbortSignal): Promise<void> {
    const silence = new AbortController()
    const quiet = (): ReturnType<typeof setTimeout> =>
      setTimeout(() => silence.abort(new Error('the server has sent nothing')), SILENCE_MS)
    let timer = quiet()
    try {
      const response = await this.#server.request(runPath(this.#id, '/stream'), {
        headers: { ...(this.#last !== undefined && { 'last-event-id': this.#last }) },
        signal: AbortSignal.any([signal, silence.signal]),
      })
      if (!response.ok) throw await failureOf(response)
      if (!response.body) return
      const parser = new EventParser()
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        clearTimeout(timer)
        timer = quiet()
        this.#take(parser.push(value))
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #take(frames: ReturnType<EventParser['push']>): void {
    const events: RunEvent[] = []
    for (const { event, data, id } of frames) {
      if (event === 'state') {
        this.#states++
        // one object a frame
        this.#set({ run: JSON.parse(data) as RunDetails, isLive: true, problem: undefined })
      }
      if (event === 'error') throw new Error(messageIn(data))
      if (event !== 'progress') continue
      this.#last = id
      events.push(JSON.parse(data) as RunEvent) // the server's contract
    }
    if (events.length === 0) return
    this.#failed = 0
    this.#set({ events: [...this.#followed.events, ...events] })
    if (this.#isOutdated(events)) void this.refresh()
  }

  /** States are sent when a stream begins and ends; some events say that the last one is not so. */
  #isOutdated(events: readonly RunEvent[]): boolean {
    const status = this.#followed.run?.status
    return (
      status === 'queued' || events.some(({ type }) => type === 'completed' || type === 'error')
    )
  }
}

function messageIn(data: string): string {
  const { message } = JSON.parse(data) as { readonly message?: string } // of an error frame
  return message ?? data
}
