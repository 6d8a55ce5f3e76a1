import {
  Conversation,
  createSessionClient,
  Reachability,
  storageOutbox,
  TokenSource,
  type ClientEvent,
  type ConversationSnapshot,
  type SessionClient,
  type SessionFile,
} from '@amodal/sdk/client'
import { SessionMemory, type Memory } from './session-memory.ts'

export interface ChatOptions {
  /** Address of the agent's server. */
  readonly url: string
  /** A session that the page names. Default: the one that was remembered, or a new one. */
  readonly session: string | undefined
  readonly scope: string | undefined
  readonly memory: Memory
  /** Where the page's server gives tokens of its person, or a function for them. */
  readonly tokens: string | (() => string | Promise<string>) | undefined
  readonly onChange: () => void
  readonly onEvent: (event: ClientEvent) => void
  readonly onSession: (session: string) => void
}

/** The conversation of a page: one session in all its tabs, which a reload finds again. */
export class Chat {
  readonly client: SessionClient
  readonly #options: ChatOptions
  readonly #reach: Reachability
  readonly #memory: SessionMemory
  #conversation: Conversation
  /** Messages of this tab whose turns have not ended: the other tabs are told about those. */
  #sent = 0

  constructor(options: ChatOptions) {
    const { url, scope, tokens, memory, session } = options
    this.#options = options
    const request = tokens === undefined ? undefined : new TokenSource(tokens).fetch
    this.#reach = new Reachability({ url, ...(request && { fetch: request }) })
    this.client = createSessionClient({
      url,
      fetch: this.#reach.fetch,
      ...(scope !== undefined && { scope }),
    })
    const name = [url, scope, session].join(' ').trim()
    this.#memory = new SessionMemory(name, session === undefined ? memory : 'none', () =>
      this.#onOtherTab(),
    )
    this.#conversation = this.#begin(session ?? this.#memory.session)
    document.addEventListener('visibilitychange', this.#onVisible)
  }

  get snapshot(): ConversationSnapshot {
    return this.#conversation.snapshot
  }

  send(text: string, assets: readonly SessionFile[] = []): void {
    this.#sent++
    this.#conversation.send(text, { assets })
  }

  answer(answer: Parameters<Conversation['answer']>[0]): void {
    void this.#conversation.answer(answer).then(() => this.#memory.announce())
  }

  stop(): void {
    void this.#conversation.cancel()
  }

  release(decision: 'continue' | 'end'): void {
    void this.#conversation.release(decision)
  }

  /** Leaves the session, which stays on the server. */
  startNew(): void {
    this.#memory.session = undefined
    this.#replace(undefined)
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#onVisible)
    this.#conversation.close()
    this.#memory.close()
  }

  #begin(session: string | undefined): Conversation {
    const { url, onChange, onEvent, onSession } = this.#options
    const conversation = new Conversation(this.client, {
      session,
      reach: this.#reach,
      outbox: storageOutbox(() => sessionStorage, `amodal.sent ${url}`),
    })
    conversation.onNamed = (named) => {
      this.#memory.session = named
      onSession(named)
    }
    conversation.subscribe(() => {
      const { error } = conversation.snapshot
      // it was removed, or belongs to a person who has signed out
      const isMissing = error && 'status' in error && error.status === 404
      if (isMissing && session !== undefined && session === this.#memory.session) this.startNew()
      else onChange()
    })
    conversation.observe((event) => {
      onEvent(event)
      if (this.#sent === 0 || (event.type !== 'init' && event.type !== 'done')) return
      if (event.type === 'done') this.#sent--
      this.#memory.announce()
    })
    void conversation.open()
    return conversation
  }

  #replace(session: string | undefined): void {
    this.#conversation.close()
    this.#sent = 0
    this.#conversation = this.#begin(session)
    this.#options.onChange()
  }

  #onOtherTab(): void {
    const { session } = this.#memory
    if (session === this.#conversation.session) void this.#conversation.refresh()
    else if (this.snapshot.state === 'idle') this.#replace(session)
  }

  readonly #onVisible = (): void => {
    if (document.visibilityState === 'visible') void this.#conversation.refresh()
  }
}
