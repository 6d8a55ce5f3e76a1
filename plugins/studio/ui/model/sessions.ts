import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { SessionSummary } from '@amodal/sdk/client'
import { problemOf, type Server } from './server.ts'

const PAGE = 30
/** ms for which changes are gathered before the list is read again. */
const SETTLE_MS = 150

export interface Sessions {
  readonly rows: readonly SessionSummary[]
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
  const [problem, setProblem] = useState<string>()
  const [loaded, setLoaded] = useState(false)
  const pages = useRef(1)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const read = useCallback(async (): Promise<void> => {
    if (!server) return
    try {
      const found: SessionSummary[] = []
      let next: string | null = null
      for (let page = 0; page < pages.current; page++) {
        const listed = await server.sessions({ limit: PAGE, ...(next !== null && { cursor: next }) })
        found.push(...listed.sessions)
        next = listed.next_cursor
        if (next === null) break
      }
      setRows(found)
      setCursor(next)
      setProblem(undefined)
    } catch (cause) {
      setProblem(problemOf(cause))
    }
    setLoaded(true)
  }, [server])

  const refresh = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void read(), SETTLE_MS)
  }, [read])

  useEffect(() => {
    pages.current = 1
    void read()
    return () => clearTimeout(timer.current)
  }, [read])

  return useMemo(() => ({
    rows, more: cursor !== null, problem, loaded, refresh,
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
  }), [server, rows, cursor, problem, loaded, refresh, read])
}
