import { isRunEnded, type RunStatus, type RunSummary } from '@amodal/sdk/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Live } from './live.ts'
import { problemOf, type Server } from './server.ts'

/** ms for which changes are gathered before the rows are read again. */
const SETTLE_MS = 300
/** ms between two reads while a run goes on: its turns are no events of the server. */
const OPEN_MS = 5_000
const PAGE_SIZE = 50

export interface FoundRuns {
  /** `undefined` until they are known. */
  readonly rows: readonly RunSummary[] | undefined
  readonly hasMore: boolean
  readonly problem: string | undefined
  readonly loadMore: () => void
  readonly refresh: () => void
}

interface Read {
  readonly status: RunStatus | undefined
  readonly rows: readonly RunSummary[]
  readonly next: string | null
}

/** Runs that stand where the filter says, the newest first, as they change. */
export function useRuns(
  server: Server,
  status: RunStatus | undefined,
  { events }: Live,
): FoundRuns {
  const [read, setRead] = useState<Read>()
  const [problem, setProblem] = useState<string>()
  const pages = useRef(1)
  const last = useRef(0)
  const refresh = useCallback(async (): Promise<void> => {
    // what was asked for last is what is shown, in whichever order the responses come
    const number = ++last.current
    const rows: RunSummary[] = []
    let next: string | null = null
    try {
      for (let page = 0; page < pages.current; page++) {
        const found = await server.runs.list({
          limit: PAGE_SIZE,
          ...(status && { status }),
          ...(next !== null && { before: next }),
        })
        rows.push(...found.sessions)
        next = found.next_before
        if (next === null) break
      }
    } catch (cause) {
      if (number === last.current) setProblem(problemOf(cause))
      return
    }
    if (number !== last.current) return
    setRead({ status, rows, next })
    setProblem(undefined)
  }, [server, status])
  useEffect(() => {
    pages.current = 1
    void refresh()
  }, [refresh])
  const news = events.find(({ type }) => type.startsWith('session_'))?.seq
  useEffect(() => {
    if (news === undefined) return
    const timer = setTimeout(() => void refresh(), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [news, refresh])
  const isOpen = read?.rows.some((row) => !isRunEnded(row.status)) === true
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void refresh()
    }, OPEN_MS)
    return () => clearInterval(timer)
  }, [isOpen, refresh])
  // rows of the filter before are not those of this one
  const shown = read?.status === status ? read : undefined
  return {
    rows: shown?.rows,
    hasMore: shown !== undefined && shown.next !== null,
    problem,
    loadMore() {
      pages.current++
      void refresh()
    },
    refresh: () => void refresh(),
  }
}
