import { useCallback, useEffect, useRef, useState } from 'react'
import type { Live } from './live.ts'
import { fieldOf, problemOf, type Server } from './server.ts'

export const TRACE_KINDS = [
  'message',
  'model',
  'tool',
  'approval',
  'question',
  'agent',
  'guard',
  'state',
  'compaction',
  'recovery',
  'note',
  'end',
] as const
export type TraceKind = (typeof TRACE_KINDS)[number]

export type TraceStatus =
  | 'running'
  | 'waiting'
  | 'done'
  | 'failed'
  | 'refused'
  | 'unknown'
  | 'cancelled'

export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly cache_written: number
}

/** A row of `GET /sessions/:id/trace`. */
export interface TraceRow {
  /** Its name among all sessions. */
  readonly key: string
  readonly id: string
  readonly seq: number
  readonly session: string
  readonly run: { readonly id: string; readonly number: number }
  readonly kind: TraceKind
  readonly title: string
  readonly status: TraceStatus
  readonly at: string
  readonly start_ms: number
  readonly ms: number | null
  /** `null` while it waits for a person. */
  readonly waiting_ms?: number | null
  readonly depth: number
  /** Key of the row that it is nested in. */
  readonly parent: string | null
  readonly of?: string
  readonly code?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly model?: {
    readonly provider: string
    readonly model: string
    readonly tokens: Tokens
    readonly cost: number | null
    readonly tries?: number
    readonly finish?: string
  }
  readonly ask?: {
    readonly decision: string | null
    readonly by?: string
    readonly tool?: string
    readonly rule?: string
    readonly reason?: string
  }
  readonly agent?: {
    readonly name: string
    readonly session: string | null
    readonly tokens?: Tokens
    readonly cost?: number | null
  }
  readonly children?: {
    readonly rows?: number
    readonly total?: number
    readonly problem?: string
  }
}

export interface TraceRun {
  readonly id: string
  readonly number: number
  readonly status: string
  readonly tokens: Tokens
  readonly cost: number | null
  readonly ms_working: number
  readonly ms_waiting: number
  readonly errors: number
}

interface TracePage {
  readonly state: string
  readonly rows: readonly TraceRow[]
  readonly next: number | null
  readonly resume: number
  readonly runs: readonly TraceRun[]
}

export interface TraceProblem {
  readonly code: string
  readonly message: string
}

export interface TraceLog {
  readonly rows: readonly TraceRow[]
  readonly runs: readonly TraceRun[]
  /** All pages are here. */
  readonly loaded: boolean
  readonly state: string
  readonly problem: TraceProblem | undefined
  readonly reload: () => void
}

/** Rows of the first page, which is there soon, and of further ones. */
const FIRST_PAGE = 200
const PAGE = 1_000
/** ms between two looks at a session whose run goes on: its events come at the ends of runs. */
const RUNNING_MS = 1_500
/** ms after an event, so that several are one look. */
const SETTLE_MS = 150

const EMPTY = { rows: [], runs: [], loaded: false, state: 'idle', problem: undefined } as const

/** Rows of the session itself behind `after`, and all that is nested in them, are replaced. */
export function mergeRows(
  rows: readonly TraceRow[],
  after: number,
  news: readonly TraceRow[],
): readonly TraceRow[] {
  const at = rows.findIndex(({ depth, seq }) => depth === 0 && seq > after)
  return at === -1 ? [...rows, ...news] : [...rows.slice(0, at), ...news]
}

export function mergeRuns(
  runs: readonly TraceRun[],
  news: readonly TraceRun[],
): readonly TraceRun[] {
  const byId = new Map(runs.map((run) => [run.id, run]))
  for (const run of news) byId.set(run.id, run)
  return [...byId.values()]
}

/** Loads the trace of a session page by page, and follows the session. */
export function useTrace(server: Server, session: string, live: Live): TraceLog {
  const [log, setLog] = useState<Omit<TraceLog, 'reload'>>(EMPTY)
  const reader = useRef<Reader>(undefined)

  useEffect(() => {
    setLog(EMPTY)
    const own = new Reader(server, session, setLog)
    reader.current = own
    own.read()
    return () => own.close()
  }, [server, session])

  const news = live.events.find(({ sessionId }) => sessionId === session)?.seq
  useEffect(() => {
    if (news !== undefined) reader.current?.soon(SETTLE_MS)
  }, [news])

  const reload = useCallback(() => reader.current?.restart(), [])
  return { ...log, reload }
}

type Change = (change: (log: Omit<TraceLog, 'reload'>) => Omit<TraceLog, 'reload'>) => void

class Reader {
  readonly #server: Server
  readonly #session: string
  readonly #change: Change
  readonly #leave = new AbortController()
  #after = 0
  #isReading = false
  #isDue = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(server: Server, session: string, change: Change) {
    this.#server = server
    this.#session = session
    this.#change = change
  }

  close(): void {
    this.#leave.abort()
    clearTimeout(this.#timer)
  }

  restart(): void {
    this.#after = 0
    this.#change((log) => ({ ...log, problem: undefined }))
    this.read()
  }

  soon(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#leave.signal.aborted) this.#timer = setTimeout(() => this.read(), ms)
  }

  read(): void {
    if (this.#isReading) {
      this.#isDue = true
      return
    }
    this.#isReading = true
    void this.#readAll().finally(() => {
      this.#isReading = false
      if (!this.#isDue) return
      this.#isDue = false
      this.soon(SETTLE_MS)
    })
  }

  async #readAll(): Promise<void> {
    // of the first reading no row is on the screen yet
    const isFollowing = this.#after > 0
    try {
      for (let after: number | null = this.#after; after !== null;) {
        const page: TracePage = await readTracePage(
          this.#server,
          this.#session,
          after,
          this.#leave.signal,
        )
        const from = after
        after = page.next
        this.#after = page.resume
        this.#change((log) => ({
          rows: mergeRows(log.rows, from, page.rows),
          runs: mergeRuns(log.runs, page.runs),
          loaded: log.loaded || page.next === null,
          state: page.state,
          problem: undefined,
        }))
        if (isFollowing && page.rows.some(({ code }) => code === 'outcome_settled')) {
          // a row further up has another status now
          this.#after = 0
          this.#isDue = true
        } else if (page.next === null && page.state !== 'idle') this.soon(RUNNING_MS)
      }
    } catch (cause) {
      if (this.#leave.signal.aborted) return
      const problem = cause instanceof TraceError ? cause.problem : asProblem(cause)
      this.#change((log) => ({ ...log, problem }))
    }
  }
}

class TraceError extends Error {
  readonly problem: TraceProblem

  constructor(problem: TraceProblem) {
    super(problem.message)
    this.problem = problem
  }
}

export const asProblem = (cause: unknown): TraceProblem =>
  cause instanceof TraceError ? cause.problem : { code: 'UNREACHABLE', message: problemOf(cause) }

const pathOf = (session: string): string => `/sessions/${encodeURIComponent(session)}/trace`

async function readJson<T>(server: Server, path: string, signal: AbortSignal): Promise<T> {
  const response = await server.request(path, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as T // the server's contract
  throw new TraceError({
    code: fieldOf(body, 'code') ?? 'INTERNAL',
    message: fieldOf(body, 'message') ?? response.statusText,
  })
}

const readTracePage = (
  server: Server,
  session: string,
  after: number,
  signal: AbortSignal,
): Promise<TracePage> =>
  readJson(
    server,
    `${pathOf(session)}?limit=${after === 0 ? FIRST_PAGE : PAGE}&after=${after}`,
    signal,
  )

/** A value, or its beginning. */
export interface ShownValue {
  readonly bytes: number
  readonly value?: unknown
  readonly cut?: boolean
  readonly text?: string
}

export interface SentSection {
  readonly id: string
  readonly title: string
  readonly plugin: string
  readonly changed_by?: readonly string[]
  readonly category: string
  readonly at: number | null
  readonly bytes: number
  readonly chars: number
  readonly parts: readonly { readonly name: string; readonly file?: string }[]
}

export type Sent =
  | {
      readonly available: true
      readonly at: string
      readonly prompt_bytes: number
      readonly prompt?: string
      readonly withheld?: true
      readonly sections: readonly SentSection[]
      readonly messages: readonly {
        readonly role: string
        readonly plugin: string
        readonly chars: number
      }[]
      readonly tools: readonly string[]
    }
  | {
      readonly available: false
      readonly why: string
      readonly made_of: Readonly<Record<string, number | string | null>>
    }

/** An answer of `GET /sessions/:id/trace/:row`. */
export interface TraceDetail {
  readonly row: TraceRow
  readonly error?: { readonly code: string; readonly message: string; readonly fix: string }
  readonly text?: ShownValue
  readonly reasoning?: ShownValue | null
  readonly arguments?: ShownValue
  readonly result?: ShownValue
  readonly reason?: ShownValue | null
  readonly context?: ShownValue
  readonly answer?: ShownValue
  readonly calls?: readonly {
    readonly id: string
    readonly name: string
    readonly arguments: ShownValue
  }[]
  readonly content?: readonly {
    readonly type: string
    readonly text?: ShownValue
    readonly mime_type?: string
    readonly data?: ShownValue
  }[]
  readonly effect?: {
    readonly keyed: boolean
    readonly idempotency_key: string
    readonly target?: {
      readonly connection: string
      readonly method: string
      readonly path: string
    }
  }
  readonly settled?: { readonly outcome: string | null; readonly by: string | null }
  readonly private?: boolean
  readonly not_shown?: readonly string[]
  readonly sent?: Sent
}

export interface DetailState {
  readonly detail: TraceDetail | undefined
  readonly problem: TraceProblem | undefined
  readonly isFull: boolean
  readonly loadFull: () => void
  readonly reload: () => void
}

/** What is known of one row; it is read again when the row changes. */
export function useTraceDetail(server: Server, row: TraceRow): DetailState {
  const { key, session, id, status } = row
  const [found, setFound] = useState<{ key: string; detail: TraceDetail }>()
  const [problem, setProblem] = useState<TraceProblem>()
  const [fullKey, setFullKey] = useState<string>()
  const [count, setCount] = useState(0)
  const isFull = fullKey === key
  useEffect(() => {
    const leave = new AbortController()
    const path = `${pathOf(session)}/${id}${isFull ? '?full=true' : ''}`
    setProblem(undefined)
    readJson<TraceDetail>(server, path, leave.signal).then(
      (detail) => setFound({ key, detail }),
      (cause: unknown) => {
        if (!leave.signal.aborted) setProblem(asProblem(cause))
      },
    )
    return () => leave.abort()
  }, [server, key, session, id, status, isFull, count])
  return {
    detail: found?.key === key ? found.detail : undefined,
    problem,
    isFull,
    loadFull: () => setFullKey(key),
    reload: () => setCount((now) => now + 1),
  }
}
