import type { SessionFile } from '../timeline/index.ts'

/** A message whose turn has not ended yet, so that a page that is loaded anew finds its stream. */
export interface SentMessage {
  /** Under which it is sent: the server takes it once. */
  readonly key: string
  readonly session: string | undefined
  readonly text: string
  /** Files that go with it. */
  readonly assets?: readonly SessionFile[]
  /** Texts by name that the model is given with it. */
  readonly context?: Readonly<Record<string, string>>
  /**
   * The key of the message that begins the session, where that has no id yet and this is another
   * one.
   */
  readonly behind?: string
  /** The last entry of the session when it was sent. */
  readonly after: number
  /** When, in ms since the epoch. */
  readonly at: number
}

/** Where a conversation stores messages until their turns have ended. */
export interface Outbox {
  list(): readonly SentMessage[]
  store(messages: readonly SentMessage[]): void
}

/** An outbox that lasts as long as the object: what was sent is lost with the page. */
export function memoryOutbox(): Outbox {
  let messages: readonly SentMessage[] = []
  return {
    list: () => messages,
    store(changed) {
      messages = changed
    },
  }
}

/**
 * The server knows the key of an answered message for a day. One that it might have forgotten is
 * not sent any more.
 */
const VALID_FOR_MS = 12 * 3_600_000

/**
 * An outbox in `sessionStorage` or `localStorage`, which lasts over a reload of the page.
 *
 * @param storage is used only when a conversation is opened or a message is sent
 * @param name of the item in it
 */
export const storageOutbox = (storage: () => Storage, name: string): Outbox => ({
  list() {
    try {
      const value: unknown = JSON.parse(storage().getItem(name) ?? '[]')
      return isSentList(value) ? value.filter(({ at }) => Date.now() - at < VALID_FOR_MS) : []
    } catch {
      return [] // not ours, or not allowed to read
    }
  },
  store(messages) {
    try {
      if (messages.length === 0) storage().removeItem(name)
      else storage().setItem(name, JSON.stringify(messages))
    } catch {
      // Full, or not allowed: then it is forgotten with the page.
    }
  },
})

/** The messages of a session whose turns have not ended. */
export function unfinishedOf(outbox: Outbox, session: string | undefined): readonly SentMessage[] {
  const unfinished = outbox.list().filter((sent) => sent.session === session)
  if (session !== undefined) return unfinished
  // The response was lost, so its session id is unknown. Of several new chats it is the newest.
  const first = unfinished.at(-1)?.behind ?? unfinished.at(-1)?.key
  return unfinished.filter(({ key, behind }) => key === first || behind === first)
}

export const removeSent = (outbox: Outbox, key: string): void =>
  outbox.store(outbox.list().filter((sent) => sent.key !== key))

/** The server has assigned an id to the session that the message of this key begins. */
export const nameSession = (outbox: Outbox, key: string, session: string): void =>
  outbox.store(
    outbox
      .list()
      .map((sent) => (sent.key === key || sent.behind === key ? { ...sent, session } : sent)),
  )

const isSentList = (value: unknown): value is readonly SentMessage[] =>
  Array.isArray(value) &&
  value.every(
    (one: unknown) =>
      isFields(one) &&
      typeof one['key'] === 'string' &&
      typeof one['text'] === 'string' &&
      typeof one['after'] === 'number' &&
      typeof one['at'] === 'number',
  )

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
