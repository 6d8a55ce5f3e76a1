import { useCallback, useEffect, useRef, useState } from 'react'
import { ClientError, Transcript } from '@amodal/sdk/client'
import { useConnection } from '../provider.tsx'

/** What came of a question to the agent. */
export interface AskState {
  readonly loading: boolean
  readonly error: Error | undefined
  /** The reply, as far as it is there. */
  readonly text: string
  /** Of the session that the last question began. */
  readonly sessionId: string | undefined
  /** What waits for a person: the session has it, for `useChat` and `useApprovals`. */
  readonly isWaiting: boolean
}

/** Where a question ended. */
export interface AskOutcome {
  readonly sessionId: string
  readonly text: string
}

const IDLE: AskState = {
  loading: false,
  error: undefined,
  text: '',
  sessionId: undefined,
  isWaiting: false,
}

/**
 * Asks the agent something in a session of its own. A question that is asked while another one is
 * answered takes its place.
 *
 * @returns `ask` rejects where the turn fails
 */
export function useAsk(): AskState & { readonly ask: (text: string) => Promise<AskOutcome> } {
  const { client } = useConnection()
  const [state, setState] = useState<AskState>(IDLE)
  const leave = useRef<AbortController>(undefined)
  useEffect(() => () => leave.current?.abort(), [])
  const ask = useCallback(
    async (text: string): Promise<AskOutcome> => {
      leave.current?.abort()
      const { signal } = (leave.current = new AbortController())
      const set = (change: Partial<AskState>): void => {
        if (!signal.aborted) setState((now) => ({ ...now, ...change }))
      }
      set({ ...IDLE, loading: true })
      const transcript = new Transcript()
      let sessionId = ''
      try {
        for await (const event of client.send({ text, signal })) {
          transcript.push(event)
          if (event.type === 'init') set({ sessionId: (sessionId = event.session_id) })
          set({ text: transcript.text, isWaiting: ASKS.has(event.type) })
          if (event.type === 'error') throw new ClientError(event.code, event.message)
        }
      } catch (cause) {
        set({ error: cause instanceof Error ? cause : new Error(String(cause)), loading: false })
        throw cause
      }
      set({ loading: false })
      return { sessionId, text: transcript.text }
    },
    [client],
  )
  return { ...state, ask }
}

const ASKS: ReadonlySet<string> = new Set(['confirmation_required', 'ask_user', 'ask_choice'])
