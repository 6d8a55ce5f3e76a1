import { useEffect, useRef, useState } from 'react'
import type { Live } from '../../model/live.ts'
import { fieldOf, problemOf, type Server } from '../../model/server.ts'
import type { UsageReport } from './usage-report.ts'

/** ms between two requests while runs end one after another. */
const CALM_MS = 2_000

export type UsageState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown'; readonly report: UsageReport; readonly isStale: boolean }
  /** The credential lacks the scope. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }

/**
 * The report for a request, read anew when runs end. The one before stays until the next is there.
 *
 * @param requestAt the query at a time
 */
export function useUsage(
  server: Server,
  live: Live,
  requestAt: (now: number) => string,
): { readonly state: UsageState; readonly refresh: () => void } {
  const [state, setState] = useState<UsageState>({ kind: 'loading' })
  const [turn, setTurn] = useState(0)
  const readAt = useRef(0)
  useEffect(() => {
    let isOver = false
    readAt.current = Date.now()
    setState((now) => (now.kind === 'shown' ? { ...now, isStale: true } : now))
    void stateFrom(server, requestAt(Date.now())).then((next) => {
      if (!isOver) setState(next)
    })
    return () => {
      isOver = true
    }
  }, [server, requestAt, turn])

  const changed = live.events.find(({ type }) => type === 'session_updated')?.seq
  const first = useRef(changed)
  useEffect(() => {
    if (changed === first.current) return
    const wait = Math.max(300, readAt.current + CALM_MS - Date.now())
    const timer = setTimeout(() => setTurn((now) => now + 1), wait)
    return () => clearTimeout(timer)
  }, [changed])
  return { state, refresh: () => setTurn((now) => now + 1) }
}

async function stateFrom(server: Server, request: string): Promise<UsageState> {
  try {
    const response = await server.request(`/api/usage?${request}`)
    const body: unknown = await response.json()
    // the route's contract
    if (response.ok) return { kind: 'shown', report: body as UsageReport, isStale: false }
    if (response.status === 403) return { kind: 'forbidden' }
    return {
      kind: 'failed',
      code: fieldOf(body, 'code') ?? String(response.status),
      message: fieldOf(body, 'message') ?? response.statusText,
    }
  } catch (cause) {
    return { kind: 'failed', code: 'UNREACHABLE', message: problemOf(cause) }
  }
}
