import { ClientError, Conversation, type SessionSummary } from '@amodal/sdk/client'
import type { Connection } from './connection.ts'

/** Sessions that a list has. */
const LISTED = 20

/** The session that a person talks in, and those that they can continue. */
export class ChatSessions {
  readonly #connection: Connection
  readonly #tags: readonly string[]
  readonly #signal: AbortSignal
  readonly #listeners = new Set<() => void>()
  #listed: readonly string[] = []
  #current: Conversation

  /** @param app identifier that sessions begun here are tagged with; only those are listed */
  constructor(connection: Connection, app: string | undefined, signal: AbortSignal) {
    this.#connection = connection
    this.#tags = app === undefined ? [] : [`app:${app}`]
    this.#signal = signal
    this.#current = this.#opened(undefined)
  }

  get current(): Conversation {
    return this.#current
  }

  /**
   * Calls a listener whenever the current session, or what is known of it, changes.
   *
   * @returns what ends the subscription
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Begins another session, which the server names with its first message. */
  begin(): Conversation {
    this.#current.close()
    this.#current = this.#opened(undefined)
    return this.#current
  }

  /** Sends a message in the current session. Throws `ClientError`. */
  async send(text: string): Promise<void> {
    if (this.#current.session === undefined && this.#tags.length > 0) {
      const signal = this.#signal
      const { id } = await this.#connection.client.create({ tags: this.#tags, signal })
      await this.resume(id)
    }
    this.#current.send(text)
  }

  /** Whether the server answers, and admits this client. Throws `ClientError` otherwise. */
  async check(): Promise<void> {
    try {
      await this.#connection.client.sessions({ limit: 1, signal: this.#signal })
    } catch (cause) {
      // one may talk without seeing sessions
      if (!(cause instanceof ClientError) || cause.code !== 'FORBIDDEN_SCOPE') throw cause
    }
  }

  /** Switches to another session. Throws `ClientError`, and stays where it was. */
  async resume(session: string): Promise<SessionSummary> {
    const details = await this.#connection.client.session(session, { signal: this.#signal })
    if (session === this.#current.session) return details
    this.#current.close()
    this.#current = this.#opened(session)
    await this.#current.open()
    return details
  }

  /** The sessions that were used last, the newest first. */
  async recent(limit = LISTED): Promise<readonly SessionSummary[]> {
    const tags = this.#tags
    const signal = this.#signal
    const query = { limit, signal, ...(tags.length > 0 && { tags }) }
    const { sessions } = await this.#connection.client.sessions(query)
    if (limit === LISTED) this.#listed = sessions.map(({ id }) => id)
    return sessions
  }

  /** Finds a session by its number in the list, by its id, or by `latest`. */
  async find(text: string): Promise<string | undefined> {
    if (text === 'latest') return (await this.recent(1))[0]?.id
    return /^\d+$/.test(text) ? this.#listed[Number(text) - 1] : text
  }

  /** Clears what was said in the current session. */
  async clear(): Promise<void> {
    const { session } = this.#current
    if (session !== undefined)
      await this.#connection.client.clear(session, { signal: this.#signal })
  }

  close(): void {
    this.#current.close()
  }

  #opened(session: string | undefined): Conversation {
    const { client, reach } = this.#connection
    const conversation = new Conversation(client, { session, reach })
    conversation.subscribe(() => {
      if (conversation === this.#current) for (const listener of this.#listeners) listener()
    })
    if (session === undefined) void conversation.open()
    return conversation
  }
}
