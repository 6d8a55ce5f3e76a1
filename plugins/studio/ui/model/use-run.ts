import { useCallback, useEffect, useRef, useState } from 'react'
import type { Live } from './live.ts'
import { RunStream, type FollowedRun } from './run-stream.ts'
import type { Server } from './server.ts'

export interface RunFollower extends FollowedRun {
  /** Something was done to the run: reads where it stands, and goes on following it. */
  readonly refresh: () => void
}

const NOTHING: FollowedRun = { run: undefined, events: [], isLive: false, problem: undefined }

/** A run as it goes on. */
export function useRun(server: Server, id: string, { events }: Live): RunFollower {
  const [followed, setFollowed] = useState(NOTHING)
  const stream = useRef<RunStream>(undefined)
  useEffect(() => {
    setFollowed(NOTHING)
    const own = new RunStream(server, id, setFollowed)
    stream.current = own
    return own.start()
  }, [server, id])
  // somebody else has answered, or the run was taken up elsewhere
  const news = events.find(({ type, sessionId }) => type === 'session_updated' && sessionId === id)
  useEffect(() => {
    if (news) stream.current?.wake()
  }, [news?.seq])
  const refresh = useCallback(() => {
    void stream.current?.refresh()
    stream.current?.wake()
  }, [])
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
