import { useEffect, useState } from 'react'
import type { Live } from './live.ts'
import type { Server } from './server.ts'

/** Whether there are stores that this person may read. */
export function useHasStores(server: Server, { events }: Live): boolean {
  const [hasStores, setHasStores] = useState(false)
  const news = events.find(({ type }) => type === 'manifest_changed')?.seq
  useEffect(() => {
    let isOver = false
    // without access, or without the plugin, there are none
    server.storeCount().then(
      (count) => {
        if (!isOver) setHasStores(count > 0)
      },
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [server, news])
  return hasStores
}
