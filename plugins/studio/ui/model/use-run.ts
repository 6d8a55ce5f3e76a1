import { useCallback, useEffect, useRef, useState } from 'react'
import { followRun, NOTHING_FOLLOWED, type FollowedRun } from './follow-run.ts'
import type { Live } from './live.ts'
import type { Server } from './server.ts'

export interface RunFollower extends FollowedRun {
  /** Something was done to the run: looks at once where it stands. */
  readonly refresh: () => void
}

/** A run as it goes on. */
export function useRun(server: Server, id: string, { events }: Live): RunFollower {
  const [followed, setFollowed] = useState(NOTHING_FOLLOWED)
  const wake = useRef<() => void>(undefined)
  useEffect(() => {
    setFollowed(NOTHING_FOLLOWED)
    const closed = new AbortController()
    wake.current = followRun(server.runs, id, setFollowed, closed.signal)
    return () => closed.abort()
  }, [server, id])
  // somebody else has answered, or the run was taken up elsewhere
  const news = events.find(({ type, sessionId }) => type === 'session_updated' && sessionId === id)
  useEffect(() => {
    if (news) wake.current?.()
  }, [news?.seq])
  const refresh = useCallback(() => wake.current?.(), [])
  return { ...followed, refresh }
}

/** The time, once a second while it is wanted. */
export function useNow(isWanted: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isWanted) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isWanted])
  return now
}
