import { useCallback, useEffect, useState } from 'react'
import type { SessionSummary } from '@amodal/sdk/client'
import { problemOf, type Server } from './server.ts'
import { isWaiting, type Sessions } from './sessions.ts'

/** Why something stands in the inbox. */
export type Reason = 'waits' | 'set_aside' | 'unclear'

export interface InboxItem {
  readonly session: SessionSummary
  readonly reason: Reason
}

export interface Inbox {
  /** The oldest first; `undefined` until it is known. */
  readonly items: readonly InboxItem[] | undefined
  readonly problem: string | undefined
  readonly refresh: () => void
}

/** Sessions that are read at once. */
const LIMIT = 100

/** What waits for a person, read anew whenever the number of it changes. */
export function useInbox(server: Server, { waiting, rows }: Sessions): Inbox {
  const [items, setItems] = useState<readonly InboxItem[]>()
  const [problem, setProblem] = useState<string>()
  const [tries, setTries] = useState(0)
  const newest = rows[0]?.updated_at
  useEffect(() => {
    let isOver = false
    readInbox(server).then(
      (found) => {
        if (isOver) return
        setItems(found)
        setProblem(undefined)
      },
      (cause: unknown) => {
        if (!isOver) setProblem(problemOf(cause))
      },
    )
    return () => {
      isOver = true
    }
  }, [server, waiting, newest, tries])
  return { items, problem, refresh: useCallback(() => setTries((count) => count + 1), []) }
}

async function readInbox(server: Server): Promise<readonly InboxItem[]> {
  const [waiting, troubled] = await Promise.all([
    server.sessions({ waiting: true, limit: LIMIT }),
    server.attention(),
  ])
  const listed = new Set(waiting.sessions.map(({ id }) => id))
  const items = [...waiting.sessions, ...troubled.filter(({ id }) => !listed.has(id))].map(
    (session) => ({ session, reason: reasonOf(session) }),
  )
  return items.toSorted((a, b) => a.session.updated_at.localeCompare(b.session.updated_at))
}

function reasonOf(session: SessionSummary): Reason {
  if (isWaiting(session)) return 'waits'
  return session.set_aside ? 'set_aside' : 'unclear'
}
