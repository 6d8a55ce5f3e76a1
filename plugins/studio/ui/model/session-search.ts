import type { SessionQuery, SessionStanding, SessionSummary } from '@amodal/sdk/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Live } from './live.ts'
import { problemOf, type Server } from './server.ts'

/** Which sessions the address of their table asks for. */
export interface SessionSearch {
  readonly q: string
  readonly status: SessionStanding | undefined
  readonly model: string
  /** A local day, `2026-11-26`: last used on this day or later; empty: any. */
  readonly from: string
  /** Last used on this day or before. */
  readonly to: string
}

const STANDINGS: Readonly<Record<string, SessionStanding>> = {
  waiting: 'waiting',
  running: 'running',
  failed: 'failed',
  set_aside: 'set_aside',
  done: 'done',
}

export function sessionSearch(query: string): SessionSearch {
  const given = new URLSearchParams(query)
  const day = (name: string): string => {
    const text = given.get(name) ?? ''
    return dayOf(text) === undefined ? '' : text
  }
  return {
    q: given.get('q') ?? '',
    status: STANDINGS[given.get('status') ?? ''],
    model: given.get('model') ?? '',
    from: day('from'),
    to: day('to'),
  }
}

/** The query of an address for a search. */
export function searchText({ q, status, model, from, to }: SessionSearch): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ q, status: status ?? '', model, from, to }))
    if (value !== '') query.set(name, value)
  return query.toString()
}

/** The search as the API reads it: a day is 24 hours where the person is. */
export function apiQuery({ q, status, model, from, to }: SessionSearch): SessionQuery {
  const first = dayOf(from)
  const after = dayOf(to)
  after?.setDate(after.getDate() + 1)
  return {
    ...(q !== '' && { q }),
    ...(status && { status }),
    ...(model !== '' && { model }),
    ...(first && { from: first.toISOString() }),
    ...(after && { to: after.toISOString() }),
  }
}

function dayOf(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const day = new Date(`${text}T00:00:00`)
  return Number.isNaN(day.getTime()) ? undefined : day
}

export interface FoundSessions {
  /** `undefined` until they are known. */
  readonly rows: readonly SessionSummary[] | undefined
  readonly hasMore: boolean
  readonly problem: string | undefined
  readonly loadMore: () => void
  readonly refresh: () => void
}

const PAGE = 50
/** ms for which changes are gathered before the rows are read again. */
const SETTLE_MS = 300

interface Read {
  readonly rows: readonly SessionSummary[]
  readonly cursor: string | null
}

/** Sessions that a search finds, the newest first, as they change. */
export function useSessionSearch(
  server: Server,
  search: SessionSearch,
  { events, state }: Live,
): FoundSessions {
  const [read, setRead] = useState<Read>()
  const [problem, setProblem] = useState<string>()
  const pages = useRef(1)
  const last = useRef(0)
  const key = searchText(search)
  const readPages = useCallback(async (): Promise<void> => {
    // what was asked for last is what is shown, in whichever order the responses come
    const number = ++last.current
    const rows: SessionSummary[] = []
    let cursor: string | null = null
    try {
      for (let page = 0; page < pages.current; page++) {
        const query: SessionQuery = { ...apiQuery(sessionSearch(key)), limit: PAGE }
        const listed = await server.sessions(cursor === null ? query : { ...query, cursor })
        rows.push(...listed.sessions)
        cursor = listed.next_cursor
        if (cursor === null) break
      }
    } catch (cause) {
      if (number === last.current) setProblem(problemOf(cause))
      return
    }
    if (number !== last.current) return
    setRead({ rows, cursor })
    setProblem(undefined)
  }, [server, key])
  useEffect(() => {
    pages.current = 1
    void readPages()
  }, [readPages])
  const news = events.find(({ type }) => type.startsWith('session_'))?.seq
  useEffect(() => {
    if (news === undefined) return
    const timer = setTimeout(() => void readPages(), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [news, state, readPages])
  return {
    rows: read?.rows,
    hasMore: read !== undefined && read.cursor !== null,
    problem,
    loadMore() {
      pages.current++
      void readPages()
    },
    refresh: () => void readPages(),
  }
}

/** Models that sessions of the tenant used, those with the most tokens first. */
export function useModels(server: Server): readonly string[] {
  const [models, setModels] = useState<readonly string[]>([])
  useEffect(() => {
    let isOver = false
    // without them there is nothing to choose
    server.models().then(
      (found) => {
        if (!isOver) setModels(found)
      },
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [server])
  return models
}
