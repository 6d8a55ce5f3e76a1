import { useCallback } from 'react'
import type { LiveState, SessionStatus } from '@amodal/sdk/client'
import { useConnection } from '../provider.tsx'
import { useReading } from './use-reading.ts'

type Values = LiveState['state']

/** The live state of a session, as the person may see it. */
export interface AgentState<T> {
  /** `undefined` until it is read. */
  readonly state: T | undefined
  readonly version: string | undefined
  /** What the session is doing; `undefined` until it is read. */
  readonly status: SessionStatus | undefined
  readonly loading: boolean
  readonly error: Error | undefined
  /**
   * Changes properties that are open for the API, over the version that is shown. Rejects with a
   * `ClientError`: `STATE_CONFLICT` where somebody was faster.
   */
  readonly change: (values: Values) => Promise<void>
}

/**
 * The live state of a session: as it is, and after each change, over cut connections too. Its type
 * is what `amodal.json` declares. Each session whose state is followed takes one connection.
 *
 * @param session `undefined`: there is none yet
 * @example
 * const { state, change } = useAgentState<{ title: string }>(session)
 */
export function useAgentState<T extends Values = Values>(
  session: string | undefined,
): AgentState<T> {
  const { client } = useConnection()
  const { data, loading, error } = useReading<LiveState>(
    session === undefined ? undefined : `state ${session}`,
    (connection) => ({
      async read(emit, signal) {
        for await (const state of connection.client.followState(session ?? '', { signal }))
          emit(state)
      },
      // reading goes on by itself over cuts, and is begun anew once a server that was away is back
      watch: (restart) => connection.watch(() => false, restart),
    }),
  )
  const version = data?.version
  const change = useCallback(
    async (values: Values) => {
      if (session === undefined) throw new Error('AMODAL_NO_SESSION: there is no session yet')
      await client.changeState(session, values, version ?? '*')
    },
    [client, session, version],
  )
  // what amodal.json declares
  return {
    state: data?.state as T | undefined,
    version,
    status: data?.status,
    loading,
    error,
    change,
  }
}
