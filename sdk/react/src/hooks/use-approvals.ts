import { useCallback, useMemo } from 'react'
import {
  askOfPending,
  type AnswerInput,
  type Ask,
  type Client,
  type SessionDetails,
} from '@amodal/sdk/client'
import { useConnection } from '../provider.tsx'
import { useReading } from './use-reading.ts'

/** Something that waits for a person. */
export interface PendingAsk {
  readonly session: string
  /** Of the session. */
  readonly title: string
  readonly ask: Ask
}

export interface Approvals {
  /** Of the session that waits longest first. */
  readonly pending: readonly PendingAsk[]
  readonly loading: boolean
  readonly error: Error | undefined
  readonly refresh: () => void
  /** Each rejects with a `ClientError` where the server refuses it. */
  readonly answer: (pending: PendingAsk, answer: Omit<AnswerInput, 'id'>) => Promise<void>
  readonly approve: (
    pending: PendingAsk,
    options?: { readonly scope?: 'once' | 'conversation' },
  ) => Promise<void>
  readonly decline: (pending: PendingAsk, feedback?: string) => Promise<void>
}

/** Sessions that are read for what they wait for. */
const MOST_SESSIONS = 50

/**
 * What waits for a person in one session, or in all that they see.
 *
 * @param options `session`: default: all sessions
 * @example
 * const { pending, approve, decline } = useApprovals()
 */
export function useApprovals({ session }: { readonly session?: string } = {}): Approvals {
  const { client } = useConnection()
  const { data, loading, error, refresh } = useReading<readonly PendingAsk[]>(
    `approvals ${session ?? ''}`,
    (connection) => ({
      async read(emit, signal) {
        emit(await pendingAsks(connection.client, session, signal))
      },
      watch: (changed) =>
        connection.watch(
          ({ type, ...change }) =>
            type.startsWith('session_') &&
            (session === undefined || ('sessionId' in change && change['sessionId'] === session)),
          changed,
        ),
    }),
  )
  const answer = useCallback(
    async ({ session: id, ask }: PendingAsk, given: Omit<AnswerInput, 'id'>) => {
      try {
        await client.answer(id, { id: ask.id, ...given })
      } finally {
        refresh()
      }
    },
    [client, refresh],
  )
  const actions = useMemo(
    () => ({
      answer,
      approve: (
        pending: PendingAsk,
        { scope }: { readonly scope?: 'once' | 'conversation' } = {},
      ) => answer(pending, { approved: true, ...(scope && { scope }) }),
      decline: (pending: PendingAsk, feedback?: string) =>
        answer(pending, { approved: false, ...(feedback && { feedback }) }),
    }),
    [answer],
  )
  return { pending: data ?? NONE, loading, error, refresh, ...actions }
}

const NONE: readonly PendingAsk[] = []

async function pendingAsks(
  client: Client,
  session: string | undefined,
  signal: AbortSignal,
): Promise<readonly PendingAsk[]> {
  if (session !== undefined) return asksOf(await client.session(session, { signal }))
  const { sessions } = await client.sessions({ waiting: true, limit: MOST_SESSIONS, signal })
  const found = await Promise.all(
    sessions.map(async ({ id }) => asksOf(await client.session(id, { signal }))),
  )
  return found.toReversed().flat()
}

function asksOf({ id, title, pending_input, messages }: SessionDetails): readonly PendingAsk[] {
  const names = new Map(
    messages.flatMap(({ toolCalls = [] }) =>
      toolCalls.map(({ toolId, toolName }) => [toolId, toolName] as const),
    ),
  )
  return pending_input.map((pending) => ({
    session: id,
    title,
    ask: askOfPending(pending, names.get(pending.tool_id ?? '')),
  }))
}
