import { useMemo } from 'react'
import type { Client, SessionDetails, SessionSummary } from '@amodal/sdk/client'
import { isAbout, type Connection } from '../connection/connection.ts'
import type { ReadingSource } from '../connection/reading.ts'
import { useConnection } from '../provider.tsx'
import { useReading } from './use-reading.ts'

/** A session with its history, and what can be done with it. */
export interface UsedSession {
  readonly session: SessionDetails | undefined
  readonly loading: boolean
  readonly error: Error | undefined
  readonly refresh: () => void
  /** Changes its title, tags or metadata. */
  readonly update: (change: Parameters<Client['update']>[1]) => Promise<void>
  /** @returns a new session with the history up to an entry; default: all of it */
  readonly fork: (at?: number) => Promise<SessionSummary>
  /** The model forgets what was said. */
  readonly clear: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** Reads a session, and again whenever it changes. @internal */
export const sessionSource =
  (id: string) =>
  (connection: Connection): ReadingSource<SessionDetails> => ({
    async read(emit, signal) {
      emit(await connection.client.session(id, { signal }))
    },
    watch: (refresh) => connection.watch((change) => isAbout(change, id), refresh),
  })

/**
 * A stored session, read anew whenever it changes.
 *
 * @param id `undefined`: there is none yet
 * @param options `suspense`: suspends until it is there, and throws errors to the boundary
 * @example
 * const { session, update } = useSession(id)
 */
export function useSession(
  id: string | undefined,
  options: { readonly suspense?: boolean } = {},
): UsedSession {
  const { client } = useConnection()
  const { data, loading, error, refresh } = useReading(
    id === undefined ? undefined : `session ${id}`,
    sessionSource(id ?? ''),
    options,
  )
  const actions = useMemo(() => {
    const known = (): string => {
      if (id === undefined) throw new Error('AMODAL_NO_SESSION: useSession has no id yet')
      return id
    }
    return {
      async update(change: Parameters<Client['update']>[1]) {
        await client.update(known(), change)
        refresh()
      },
      fork: async (at?: number) => client.fork(known(), at),
      async clear() {
        await client.clear(known())
        refresh()
      },
      remove: async () => client.remove(known()),
    }
  }, [client, id, refresh])
  return { session: data, loading, error, refresh, ...actions }
}
