import { useEffect, useState, type ReactNode } from 'react'
import type { Route } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { STRINGS } from '../strings.ts'
import { systemTabs, type SystemTabs } from './places.ts'
import { SubNav } from './sub-nav.tsx'

/** Views of the place System that this server has for the person. */
export function SystemNav({
  server,
  route,
}: {
  readonly server: Server
  readonly route: Route
}): ReactNode {
  const [tabs, setTabs] = useState<SystemTabs>({ hasAudit: false, hasQueue: false, hasLogs: false })
  useEffect(() => {
    let isOver = false
    void offered(server).then((found) => {
      if (!isOver) setTabs(found)
    })
    return () => {
      isOver = true
    }
  }, [server])
  return <SubNav label={STRINGS.places.system} tabs={systemTabs(tabs)} route={route} />
}

async function offered(server: Server): Promise<SystemTabs> {
  // without the plugin, or without access
  const has = (path: string): Promise<boolean> =>
    server.read(path).then(
      () => true,
      () => false,
    )
  const [hasAudit, hasQueue, hasLogs] = await Promise.all([
    has('/api/audit?limit=1'),
    has('/inspect/queue'),
    has('/inspect/logs?limit=1'),
  ])
  return { hasAudit, hasQueue, hasLogs }
}
