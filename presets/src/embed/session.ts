import { newSessionId, type SessionId } from '@amodal/kernel'
import { orThrow } from './amodal-error.ts'
import { onAbort, type AgentClient, type AssetInput, type WireEvent } from '@amodal/sdk'
import { wireEvent } from '@amodal/sdk/wire'

export interface StreamOptions {
  /** Cancels the turn. */
  readonly signal?: AbortSignal
  /** What the model is told of this message beside its text. */
  readonly context?: Readonly<Record<string, string>>
  /** Files that go with it: in base64, or by the ids of uploaded ones. */
  readonly assets?: readonly AssetInput[]
}

export interface AgentSession {
  readonly id: SessionId
  /**
   * Sends a message; gives the events of its turn as clients get them, `init` to `done`. While a
   * question is open it waits for the answer (`session.answer`). Leaving the loop early cancels
   * nothing.
   *
   * @throws {@link AmodalError} where the message is not accepted, with the code of the reason
   */
  stream(message: string, options?: StreamOptions): AsyncGenerator<WireEvent, void, undefined>
  /** All that this person may do with sessions: answer, cancel, fork, list and the like. */
  readonly session: AgentClient
}

/** A session inside this process. */
export class EmbeddedSession implements AgentSession {
  readonly id: SessionId
  readonly session: AgentClient
  /** There is nothing of it yet: its first message makes it. */
  #fresh: boolean

  /** @param id of a session that is there; a new one where it is left out */
  constructor(client: AgentClient, id?: SessionId) {
    this.session = client
    this.id = id ?? newSessionId()
    this.#fresh = id === undefined
  }

  async *stream(
    message: string,
    { signal, context, assets }: StreamOptions = {},
  ): AsyncGenerator<WireEvent, void, undefined> {
    const sent = await this.session.send(
      {
        text: message,
        session: this.id,
        create: this.#fresh,
        ...(context && { context }),
        ...(assets && { assets }),
      },
      signal,
    )
    const { frames } = orThrow(sent)
    this.#fresh = false
    const leave = onAbort(signal, () => void this.session.cancel(this.id))
    try {
      for await (const frame of frames) yield wireEvent(frame)
    } finally {
      leave()
    }
  }
}
