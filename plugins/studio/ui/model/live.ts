import { useEffect, useRef, useState } from 'react'
import { ClientError, whenPageIs } from '@amodal/sdk/client'
import { isUnauthorized, type LiveEvent, type Server } from './server.ts'

/** Events that the activity view holds. */
const KEPT = 300
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

export interface Live {
  readonly state: 'connecting' | 'live' | 'off'
  /** Since the page was opened, the newest first. */
  readonly events: readonly LiveEvent[]
  /** From before it was opened, the newest first: nothing has to be read again for them. */
  readonly earlier: readonly LiveEvent[]
}

/**
 * Subscribes to changes on the server and reconnects. A hidden tab closes its connection, of which
 * a browser has six for all tabs, and catches up when it becomes visible.
 */
export function useLive(server: Server | undefined, heard: (event: LiveEvent) => void): Live {
  const [live, setLive] = useState<Live>({
    state: 'connecting',
    events: [],
    earlier: [],
  })
  const listener = useRef(heard)
  listener.current = heard

  useEffect(() => {
    if (!server) return
    let last: number | undefined
    /** The newest event when the page connected for the first time. */
    let first: number | undefined
    let leave = new AbortController()
    let wait: ReturnType<typeof setTimeout> | undefined
    let failed = 0

    const listen = async (): Promise<void> => {
      leave = new AbortController()
      const { signal } = leave
      setLive((now) => ({ ...now, state: 'connecting' }))
      try {
        const { head, events } = await server.events(last, signal)
        first ??= head
        setLive((now) => ({ ...now, state: 'live' }))
        for await (const event of events) {
          failed = 0
          last = event.seq
          const list = event.seq <= first ? 'earlier' : 'events'
          setLive((now) => ({
            ...now,
            state: 'live',
            [list]: [event, ...now[list]].slice(0, KEPT),
          }))
          if (list === 'events') listener.current(event)
        }
      } catch (cause) {
        if (signal.aborted) return
        const isGone =
          cause instanceof ClientError && (cause.status === 403 || cause.status === 404)
        if (isGone || isUnauthorized(cause)) return setLive((now) => ({ ...now, state: 'off' }))
      }
      if (signal.aborted) return
      setLive((now) => ({ ...now, state: 'connecting' }))
      wait = setTimeout(
        () => void listen(),
        Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failed++),
      )
    }
    const stop = (): void => {
      clearTimeout(wait)
      leave.abort()
    }
    const leaveHidden = whenPageIs('hidden', stop)
    const leaveVisible = whenPageIs('visible', () => {
      stop()
      void listen()
    })
    return () => {
      leaveHidden()
      leaveVisible()
      stop()
    }
  }, [server])

  return live
}
