import { useCallback, useEffect, useMemo, useRef } from 'react'
import {
  messagesOf,
  type AnswerInput,
  type Ask,
  type ChatMessage,
  type ClientEvent,
  type Conversation,
  type ConversationSnapshot,
  type Item,
  type SessionDetails,
  type SessionFile,
  type Settlement,
} from '@amodal/sdk/client'
import { useConversation, useSnapshot } from './use-conversation.ts'
import { useReading } from './use-reading.ts'
import { sessionSource } from './use-session.ts'

export interface UseChatOptions {
  /** Default: a new session, which begins with the first message. */
  readonly session?: string | undefined
  /** What is known of the session, such as what the server of the page has read. */
  readonly initial?: SessionDetails | undefined
  /** Suspends until the history of the session is there. */
  readonly suspense?: boolean
  /** Texts by name that the model is given with each message. */
  readonly context?: Readonly<Record<string, string>>
  /** Called once the server has named a new session. */
  readonly onSession?: (session: string) => void
  /** Called with each event as it comes, once more where it is replayed. */
  readonly onEvent?: (event: ClientEvent) => void
}

/** What goes with one message. */
export interface ChatSendOptions {
  /** Files that were uploaded. */
  readonly files?: readonly SessionFile[]
  readonly context?: Readonly<Record<string, string>>
}

/** A conversation, and what can be done in it. */
export interface Chat {
  readonly session: string | undefined
  readonly messages: readonly ChatMessage[]
  /** The same without messages around it, in the order in which it happened. */
  readonly items: readonly Item[]
  /**
   * `idle`: a message can be sent; `running`: the agent works; `waiting`: for a person, see
   * `pending`; `away`: the server cannot be reached, what was sent is delivered once it is back.
   */
  readonly status: ConversationSnapshot['state']
  readonly error: Error | undefined
  /** What waits for the person. */
  readonly pending: readonly Ask[]
  /** The ask whose answer needs a credential that the requests do not have. */
  readonly locked: string | undefined
  /** Why the session continues only by a decision: {@link Chat.retry} or {@link Chat.stop}. */
  readonly setAside: ConversationSnapshot['setAside']
  readonly grants: ConversationSnapshot['grants']
  /** Sends a message; while something runs it is answered after that. */
  readonly send: (text: string, options?: ChatSendOptions) => void
  /** Ends what runs. */
  readonly stop: () => void
  /** Continues a session that was set aside; sends the last message once more otherwise. */
  readonly retry: () => void
  readonly answer: (answer: AnswerInput) => Promise<void>
  readonly approve: (ask: string, options?: { readonly scope?: 'once' | 'conversation' }) => void
  readonly decline: (ask: string, feedback?: string) => void
  /** Ends an approval for the rest of the conversation. */
  readonly revoke: (grant: string) => Promise<void>
  /** Settles an effect of unknown outcome. @returns why it is not settled */
  readonly settle: (call: string, settlement: Settlement) => Promise<string | undefined>
  /** Gives the answer that was locked, now that requests have a credential. */
  readonly unlock: () => Promise<void>
  readonly refresh: () => Promise<void>
  /** Begins a new session. Only without the option `session`. */
  readonly reset: () => void
}

/**
 * A conversation with the agent: its history, the turn in progress over cut connections and
 * restarts of the server, and what waits for the person. Components that use the same session
 * share it.
 *
 * @example
 * const { messages, status, send } = useChat({ session })
 */
export const useChat = (options: UseChatOptions = {}): Chat => useOpenedChat(options, true)

/**
 * The same for a session that may not be there yet.
 *
 * @param isOpened `false`: nothing is read, and unfinished messages of the page are for others
 * @internal
 */
export function useOpenedChat(options: UseChatOptions, isOpened: boolean): Chat {
  const { session, suspense = false, context } = options
  const read = useReading(
    suspense && !options.initial && session !== undefined ? `session ${session}` : undefined,
    sessionSource(session ?? ''),
    { suspense },
  )
  const { conversation, reset } = useConversation(session, options.initial ?? read.data)
  const snapshot = useSnapshot(conversation, isOpened)
  useCallbacks(conversation, options)
  const messages = useMessages(snapshot.items)
  const actions = useMemo(() => actionsOf(conversation), [conversation])
  const send = useCallback(
    (text: string, { files = [], ...more }: ChatSendOptions = {}) => {
      const texts = more.context ?? context
      conversation.send(text, { assets: files, ...(texts && { context: texts }) })
    },
    [conversation, context],
  )
  const pending = useMemo(() => openAsks(snapshot.items), [snapshot.items])
  const { items, state: status, error, setAside, grants, locked } = snapshot
  return {
    session: snapshot.session,
    messages,
    items,
    status,
    error,
    pending,
    locked,
    setAside,
    grants,
    ...actions,
    send,
    reset,
  }
}

type Actions = Omit<
  Chat,
  keyof Pick<
    Chat,
    | 'session'
    | 'messages'
    | 'items'
    | 'status'
    | 'error'
    | 'pending'
    | 'locked'
    | 'setAside'
    | 'grants'
    | 'send'
    | 'reset'
  >
>

const actionsOf = (conversation: Conversation): Actions => ({
  stop: () => void conversation.cancel(),
  retry() {
    const { setAside, items } = conversation.snapshot
    if (setAside) return void conversation.release('continue')
    const last = items.findLast((item) => item.kind === 'user')
    if (last) conversation.send(last.text, { assets: last.assets ?? [] })
  },
  answer: (answer) => conversation.answer(answer),
  approve: (id, { scope } = {}) =>
    void conversation.answer({ id, approved: true, ...(scope && { scope }) }),
  decline: (id, feedback) =>
    void conversation.answer({ id, approved: false, ...(feedback && { feedback }) }),
  revoke: (grant) => conversation.revoke(grant),
  settle: (call, settlement) => conversation.settle(call, settlement),
  unlock: () => conversation.unlock(),
  refresh: () => conversation.refresh(),
})

const openAsks = (items: readonly Item[]): readonly Ask[] =>
  items.flatMap((item) => (item.kind === 'ask' && item.open ? [item.ask] : []))

/** Messages that are unchanged are the same objects, so that they are not rendered anew. */
function useMessages(items: readonly Item[]): readonly ChatMessage[] {
  const earlier = useRef<readonly ChatMessage[]>([])
  const messages = useMemo(() => messagesOf(items, earlier.current), [items])
  useEffect(() => {
    earlier.current = messages
  }, [messages])
  return messages
}

function useCallbacks(
  conversation: Conversation,
  { onSession, onEvent }: Pick<UseChatOptions, 'onSession' | 'onEvent'>,
): void {
  const callbacks = useRef({ onSession, onEvent })
  useEffect(() => {
    callbacks.current = { onSession, onEvent }
  })
  useEffect(() => {
    let before = conversation.session
    const leaves = [
      conversation.observe((event) => callbacks.current.onEvent?.(event)),
      conversation.subscribe(() => {
        const { session } = conversation
        if (session === undefined || session === before) return
        before = session
        callbacks.current.onSession?.(session)
      }),
    ]
    return () => {
      for (const leave of leaves) leave()
    }
  }, [conversation])
}
