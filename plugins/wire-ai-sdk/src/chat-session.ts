import {
  err,
  ok,
  sessionId,
  type AgentClient,
  type Caller,
  type Failure,
  type JsonObject,
  type QueuedMessage,
  type Result,
  type SessionId,
  type SessionView,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { sessionOfThread } from '@amodal/sdk/wire'

/** In the metadata of a chat's first session: the fork that it goes on in. */
const CONTINUES = 'ai_sdk_continues_in'
/** Behind every entry: the session itself is wanted, and not its history. */
const NO_ENTRIES = 2_147_483_647

/** The session of a chat. */
export interface ChatSession {
  /** The one that the chat's id stands for. */
  readonly root: SessionId
  /** The one it goes on in. */
  readonly session: SessionId
  /** Left out: it has to be made. */
  readonly view?: SessionView
}

/**
 * Finds the session of a chat. `SESSION_NOT_FOUND` where the client names a session that is not
 * there for it.
 */
export async function findChat(
  client: AgentClient,
  caller: Caller,
  named: { readonly chat?: string; readonly session?: string },
): Promise<Result<ChatSession, Failure>> {
  const { session: root, isDerived: made } =
    named.session === undefined
      ? sessionOfThread(caller, named.chat ?? '')
      : { session: sessionId(named.session), isDerived: false }
  const view = await client.session(root, undefined, NO_ENTRIES)
  if (!view.ok)
    return made && view.error.code === 'SESSION_NOT_FOUND' ? ok({ root, session: root }) : view
  const next = metaOf(view.value)[CONTINUES]
  if (typeof next !== 'string') return ok({ root, session: root, view: view.value })
  const session = sessionId(next)
  const continued = await client.session(session, undefined, NO_ENTRIES)
  // The fork was removed: what it was forked from goes on.
  if (!continued.ok && continued.error.code === 'SESSION_NOT_FOUND')
    return ok({ root, session: root, view: view.value })
  return continued.ok ? ok({ root, session, view: continued.value }) : continued
}

/**
 * Takes a chat back to before a message: what was said since stays in the old session, and the chat
 * goes on in a fork of it. Where the message is not there, nothing is to be taken back.
 *
 * @param key of the message
 */
export async function rewound(
  client: AgentClient,
  chat: ChatSession,
  key: string,
): Promise<Result<ChatSession, Failure>> {
  const history = await readHistory(client, chat.session)
  if (!history.ok) return history
  const { entries, queued, state, row } = history.value
  const message = entries.findLast((entry) => entry.kind === 'user_message' && entry.key === key)
  const isQueued = queued.some((one) => one.key === key)
  if (!message && !isQueued) return ok(chat)
  if (state !== 'idle' || queued.length > 0) {
    const stopped = await client.cancel(chat.session)
    if (!stopped.ok) return stopped
  }
  const fork = await client.fork(chat.session, message ? message.seq - 1 : row.head)
  if (!fork.ok) return fork
  const root = await client.session(chat.root, undefined, NO_ENTRIES)
  if (!root.ok) return root
  const { session } = fork.value
  const pointed = await client.update(chat.root, {
    meta: { ...metaOf(root.value), [CONTINUES]: session },
  })
  if (!pointed.ok) return err(pointed.error)
  return ok({ root: chat.root, session, view: { ...history.value, row: fork.value, asks: [] } })
}

/** All of a session, with the messages that its journal does not have yet. */
export async function readHistory(
  client: AgentClient,
  session: SessionId,
): Promise<Result<SessionView & { readonly queued: readonly QueuedMessage[] }, Failure>> {
  const queued = await client.queued(session)
  if (!queued.ok) return queued
  const view = await client.session(session)
  if (!view.ok) return view
  const keys = new Set(
    view.value.entries.flatMap((entry) => (entry.kind === 'user_message' ? [entry.key] : [])),
  )
  return ok({ ...view.value, queued: queued.value.filter(({ key }) => !keys.has(key)) })
}

function metaOf({ row }: SessionView): JsonObject {
  return parseExact(row.meta) as JsonObject // written by the kernel
}
