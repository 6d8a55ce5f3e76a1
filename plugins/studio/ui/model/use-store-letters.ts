import { useEffect, useState } from 'react'
import type { Live } from './live.ts'
import type { Server, StoreLetters } from './server.ts'

/** ms for which changes of stores are gathered before their letters are counted. */
const SETTLE_MS = 3_000

/**
 * The stores and their dead letters; empty until they are known, and without the plugin.
 *
 * @param isInbox whether the inbox is shown: they are read again whenever it is opened
 */
export function useStoreLetters(
  server: Server,
  { events }: Live,
  isInbox: boolean,
): readonly StoreLetters[] {
  const [stores, setStores] = useState<readonly StoreLetters[]>([])
  const manifest = events.find(({ type }) => type === 'manifest_changed')?.seq
  const change = events.find(({ type }) => type === 'store_updated')?.seq
  useEffect(() => {
    let isOver = false
    const read = (): void => {
      server.storeLetters().then(
        (found) => {
          if (!isOver) setStores(found)
        },
        () => undefined, // without access, or without the plugin, there are none
      )
    }
    const timer = setTimeout(read, isInbox || change === undefined ? 0 : SETTLE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [server, manifest, change, isInbox])
  return stores
}

/** Those whose letters wait for somebody who writes them again, or drops them. */
export const withLetters = (stores: readonly StoreLetters[]): readonly StoreLetters[] =>
  stores.filter(({ letters }) => letters > 0)
