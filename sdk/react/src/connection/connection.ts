import {
  Conversation,
  createClient,
  Reachability,
  storageOutbox,
  type Client,
  type ClientOptions,
  type ConversationSnapshot,
  type Outbox,
  type SessionDetails,
} from '@amodal/sdk/client'
import { ChangeFeed, type Change } from './change-feed.ts'
import { DraftOutboxes } from './draft-outboxes.ts'
import { Reading, type ReadingSource } from './reading.ts'

export interface ConnectionOptions extends ClientOptions {
  /** Where unfinished messages are stored. Default: `sessionStorage`, so that a reload finds them. */
  readonly outbox?: Outbox
}

/** Use of a conversation by components. */
interface Holding {
  count: number
  readonly end: () => void
}

/** ms for which a conversation stays open without a component: they are mounted anew. */
const LINGER_MS = 1_000

/**
 * A server as the components of one provider share it: a conversation for each session, a reading
 * for each value, and one connection for everything that changes.
 */
export class Connection {
  readonly client: Client
  readonly changes: ChangeFeed
  readonly #reach: Reachability
  readonly #outbox: Outbox
  readonly #drafts: DraftOutboxes
  readonly #conversations = new Map<string, Conversation>()
  readonly #firstSnapshots = new WeakMap<Conversation, ConversationSnapshot>()
  readonly #held = new Map<Conversation, Holding>()
  readonly #readings = new Map<string, Reading<unknown>>()

  constructor({ outbox, ...options }: ConnectionOptions) {
    const { url, fetch: request } = options
    this.#reach = new Reachability({ url, ...(request && { fetch: request }) })
    this.client = createClient({ ...options, fetch: this.#reach.fetch })
    this.changes = new ChangeFeed(this.client)
    this.#outbox = outbox ?? storageOutbox(() => sessionStorage, `amodal.sent ${url}`)
    this.#drafts = new DraftOutboxes(this.#outbox)
  }

  /** The conversation of a session, the same for everybody. */
  conversation(session: string, initial?: SessionDetails): Conversation {
    const known = this.#conversations.get(session)
    if (known) return known
    const conversation = this.#begin({ session, initial })
    this.#conversations.set(session, conversation)
    return conversation
  }

  /** A conversation without a session yet. */
  draft(): Conversation {
    const conversation = this.#begin({ outbox: this.#drafts.outbox() })
    conversation.onNamed = (session) => this.#conversations.set(session, conversation)
    return conversation
  }

  /** What a conversation showed before it was opened: what a server renders. */
  firstSnapshot(conversation: Conversation): ConversationSnapshot {
    return this.#firstSnapshots.get(conversation) ?? conversation.snapshot
  }

  /**
   * Opens a conversation while a component shows it; one with a message that the server does not
   * have stays open until it has.
   *
   * @returns what a component calls that shows it no more
   */
  hold(conversation: Conversation): () => void {
    const holding = this.#held.get(conversation) ?? this.#open(conversation)
    holding.count++
    return () => {
      holding.count--
      if (holding.count === 0) this.#closeLater(conversation, holding)
    }
  }

  /**
   * The reading of a key, the same for everybody.
   *
   * @param key names what is read, and with that the type of its value
   */
  reading<T>(key: string, source: (connection: Connection) => ReadingSource<T>): Reading<T> {
    const known = this.#readings.get(key)
    if (known) return known as Reading<T> // the key says so
    for (const [name, reading] of this.#readings)
      if (this.#readings.size > MOST_READINGS && !reading.isUsed) this.#readings.delete(name)
    const reading = new Reading(source(this))
    this.#readings.set(key, reading)
    return reading
  }

  /** Refreshes on changes that match, and once the server is back. */
  watch(matches: (change: Change) => boolean, refresh: () => void): () => void {
    let wasLost = this.#reach.isLost
    const ends = [
      this.changes.subscribe((change) => {
        if (change.type === 'changed' || matches(change)) refresh()
      }),
      this.#reach.subscribe(() => {
        if (wasLost && !this.#reach.isLost) refresh()
        wasLost = this.#reach.isLost
      }),
    ]
    return () => {
      for (const end of ends) end()
    }
  }

  #begin(options: {
    readonly session?: string
    readonly initial?: SessionDetails | undefined
    readonly outbox?: Outbox
  }): Conversation {
    const conversation = new Conversation(this.client, {
      reach: this.#reach,
      outbox: this.#outbox,
      ...options,
    })
    this.#firstSnapshots.set(conversation, conversation.snapshot)
    return conversation
  }

  #open(conversation: Conversation): Holding {
    void conversation.open()
    const end = this.changes.subscribe((change) => {
      if (change.type === 'changed' || isAbout(change, conversation.session))
        void conversation.refresh()
    })
    const holding = { count: 0, end }
    this.#held.set(conversation, holding)
    return holding
  }

  #closeLater(conversation: Conversation, holding: Holding): void {
    setTimeout(() => {
      if (holding.count > 0 || this.#held.get(conversation) !== holding) return
      // What runs goes on without a reader; a message that the server does not have would not.
      if (!conversation.snapshot.isDelivered) return this.#closeLater(conversation, holding)
      this.#held.delete(conversation)
      holding.end()
      conversation.close()
    }, LINGER_MS)
  }
}

/** Readings that are stored although no component uses them. */
const MOST_READINGS = 200

/** Whether a change is one of this session. */
export const isAbout = (change: Change, session: string | undefined): boolean =>
  session !== undefined && 'sessionId' in change && change['sessionId'] === session
