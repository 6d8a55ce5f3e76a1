import { useCallback, useSyncExternalStore } from 'react'
import type { Connection } from '../connection/connection.ts'
import type { Reading, ReadingSource, ReadingState } from '../connection/reading.ts'
import { useConnection } from '../provider.tsx'

/** A value of the server with how reading it goes. */
export interface UsedReading<T> extends ReadingState<T> {
  /** Reads it anew. */
  readonly refresh: () => void
}

/** Nothing is read for this key. */
const NOTHING: ReadingState<never> = { data: undefined, error: undefined, loading: false }
const LOADING: ReadingState<never> = { data: undefined, error: undefined, loading: true }

/**
 * Reads a value, once for all components that use the same key.
 *
 * @param key `undefined`: nothing is read
 * @param source of the value; only its first one of a key is used
 * @param suspense suspends until there is a value, and throws errors to the boundary
 */
export function useReading<T>(
  key: string | undefined,
  source: (connection: Connection) => ReadingSource<T>,
  { suspense = false }: { readonly suspense?: boolean | undefined } = {},
): UsedReading<T> {
  const connection = useConnection()
  const reading: Reading<T> | undefined =
    key === undefined ? undefined : connection.reading(key, source)
  const subscribe = useCallback(
    (listener: () => void) => reading?.subscribe(listener) ?? (() => undefined),
    [reading],
  )
  const state = useSyncExternalStore<ReadingState<T>>(
    subscribe,
    () => reading?.state ?? NOTHING,
    // what a server renders without Suspense
    () => serverState(reading, suspense),
  )
  if (suspense && reading && state.data === undefined) {
    if (state.error) throw state.error
    suspendUntil(reading.settled())
  }
  return { ...state, refresh: useCallback(() => reading?.refresh(), [reading]) }
}

function serverState<T>(reading: Reading<T> | undefined, suspense: boolean): ReadingState<T> {
  if (!reading) return NOTHING
  return suspense ? reading.state : LOADING
}

/** React awaits a promise that a component throws, in every version that has Suspense. */
function suspendUntil(settled: Promise<void>): never {
  throw settled as unknown as Error
}
