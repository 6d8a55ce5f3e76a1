import { useCallback, useState, useSyncExternalStore } from 'react'
import type { Conversation, ConversationSnapshot, SessionDetails } from '@amodal/sdk/client'
import type { Connection } from '../connection/connection.ts'
import { useConnection } from '../provider.tsx'

interface Draft {
  readonly connection: Connection
  readonly conversation: Conversation
  /** The session that was requested when it began. */
  readonly requested: string | undefined
}

/**
 * The conversation of a session; of a new one where none is requested, which stays the same once
 * the server has named it.
 */
export function useConversation(
  session: string | undefined,
  initial?: SessionDetails,
): { readonly conversation: Conversation; readonly reset: () => void } {
  const connection = useConnection()
  const [draft, setDraft] = useState<Draft>(() => newDraft(connection, session))
  const reset = useCallback(() => setDraft(newDraft(connection, undefined)), [connection])
  let current = draft
  // While it is rendered, and not after: a message would go to the conversation before.
  if (draft.connection !== connection || draft.requested !== session) {
    const isNamed = draft.connection === connection && draft.conversation.session === session
    current = isNamed ? { ...draft, requested: session } : newDraft(connection, session)
    setDraft(current)
  }
  const conversation =
    session === undefined ? current.conversation : connection.conversation(session, initial)
  return { conversation, reset }
}

const newDraft = (connection: Connection, requested: string | undefined): Draft => ({
  connection,
  conversation: connection.draft(),
  requested,
})

/**
 * What a conversation shows; it is open while a component uses it.
 *
 * @param isOpened `false`: there is nothing to read yet
 */
export function useSnapshot(conversation: Conversation, isOpened = true): ConversationSnapshot {
  const connection = useConnection()
  const subscribe = useCallback(
    (listener: () => void) => {
      const leave = conversation.subscribe(listener)
      const release = isOpened ? connection.hold(conversation) : undefined
      return () => {
        leave()
        release?.()
      }
    },
    [connection, conversation, isOpened],
  )
  return useSyncExternalStore(
    subscribe,
    () => conversation.snapshot,
    () => connection.firstSnapshot(conversation),
  )
}
