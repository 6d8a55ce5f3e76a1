import { useEffect, useMemo, useState } from 'react'
import { adminOf, type Admin } from './admin.ts'
import type { Server } from './server.ts'

export interface Offer {
  readonly admin: Admin
  /** The server with the admin agent behind its chat. */
  readonly server: Server
  /** Whether there is one for this person; unknown until the server has answered. */
  readonly isOffered: boolean | undefined
}

/** The admin agent, where the server has one and this person may use it. */
export function useAdmin(server: Server): Offer {
  const admin = useMemo(() => adminOf(server), [server])
  const [isOffered, setOffered] = useState<boolean>()
  useEffect(() => {
    let isOver = false
    const found = (offered: boolean): void => {
      if (!isOver) setOffered(offered)
    }
    admin.changes().then(
      () => found(true),
      () => found(false),
    )
    return () => {
      isOver = true
    }
  }, [admin])
  return { admin, server: admin.server, isOffered }
}
