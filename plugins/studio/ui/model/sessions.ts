import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { SessionList, SessionSummary } from '@amodal/sdk/client'
import { problemOf, type Server } from './server.ts'

const PAGE = 30
/** ms for which changes are gathered before the list is read again. */
const SETTLE_MS = 150

export interface Sessions {
  readonly rows: readonly SessionSummary[]
  /** Sessions in which a person has to answer or to decide, whether they are listed or not. */
  readonly waiting: number
  /** Only those are listed. */
  readonly onlyWaiting: boolean
  readonly showWaiting: (only: boolean) => void
  readonly more: boolean
  readonly problem: string | undefined
  readonly loaded: boolean
  readonly refresh: () => void
  readonly loadMore: () => void
  readonly rename: (id: string, title: string) => Promise<void>
  readonly remove: (id: string) => Promise<boolean>
}

/** The sessions of whoever asks, the newest first. */
export function useSessions(server: Server | undefined): Sessions {
  const [rows, setRows] = useState<readonly SessionSummary[]>([])
  const [cursor, setCursor] = useState<string | null>(null)
  const [waiting, setWaiting] = useState(0)
  const [onlyWaiting, showWaiting] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [loaded, setLoaded] = useState(false)
  const pages = useRef(1)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const read = useCallback(async (): Promise<void> => {
    if (!server) return
    try {
      const found: SessionSummary[] = []
      const troubled = (await server.attention()).filter((row) => !isWaiting(row))
      let next: string | null = null
      let count: number | undefined
      for (let page = 0; page < pages.current; page++) {
        const listed: SessionList = await server.sessions({
          limit: PAGE,
          ...(onlyWaiting && { waiting: true }),
          ...(next !== null && { cursor: next }),
        })
        found.push(...listed.sessions)
        count ??= listed.waiting_count
        next = listed.next_cursor
        if (next === null) break
      }
      setRows(
        onlyWaiting
          ? [...found, ...troubled].sort((a, b) => b.updated_at.localeCompare(a.updated_at))
          : found,
      )
      setCursor(next)
      setWaiting((count ?? found.filter(isWaiting).length) + troubled.length)
      setProblem(undefined)
    } catch (cause) {
      setProblem(problemOf(cause))
    }
    setLoaded(true)
  }, [server, onlyWaiting])

  const refresh = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void read(), SETTLE_MS)
  }, [read])

  useEffect(() => {
    pages.current = 1
    void read()
    return () => clearTimeout(timer.current)
  }, [read])

  return useMemo(
    () => ({
      rows,
      waiting,
      onlyWaiting,
      showWaiting,
      more: cursor !== null,
      problem,
      loaded,
      refresh,
      loadMore() {
        pages.current++
        void read()
      },
      async rename(id, title) {
        if (!server) return
        setRows((now) => now.map((row) => (row.id === id ? { ...row, title } : row)))
        await server.update(id, { title }).catch((cause: unknown) => setProblem(problemOf(cause)))
        refresh()
      },
      async remove(id) {
        if (!server) return false
        try {
          await server.remove(id)
          setRows((now) => now.filter((row) => row.id !== id))
          return true
        } catch (cause) {
          setProblem(problemOf(cause))
          return false
        }
      },
    }),
    [server, rows, waiting, onlyWaiting, cursor, problem, loaded, refresh, read],
  )
}

export const isWaiting = ({ waiting = 0 }: SessionSummary): boolean => waiting > 0
