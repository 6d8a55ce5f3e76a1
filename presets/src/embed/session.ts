import { newSessionId, type SessionId } from '@amodal/kernel'
import { orThrow } from './amodal-error.ts'
import type { AgentFace, Image, WireEvent } from '@amodal/sdk'
import { wireEvent } from '@amodal/sdk/wire'

export interface StreamOptions {
  /** Cancels the turn. */
  readonly signal?: AbortSignal
  /** What the model is told of this message beside its text. */
  readonly context?: Readonly<Record<string, string>>
  /** What the model sees beside the text, in base64: png, jpeg, gif or webp. */
  readonly images?: readonly Image[]
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
  readonly session: AgentFace
}

/** A session inside this process. */
export class EmbeddedSession implements AgentSession {
  readonly id: SessionId
  readonly session: AgentFace
  /** There is nothing of it yet: its first message makes it. */
  #fresh: boolean

  /** @param id of a session that is there; a new one where it is left out */
  constructor(face: AgentFace, id?: SessionId) {
    this.session = face
    this.id = id ?? newSessionId()
    this.#fresh = id === undefined
  }

  async *stream(
    message: string,
    { signal, context, images }: StreamOptions = {},
  ): AsyncGenerator<WireEvent, void, undefined> {
    const sent = await this.session.send(
      {
        text: message,
        session: this.id,
        create: this.#fresh,
        ...(context && { context }),
        ...(images && { images }),
      },
      signal,
    )
    const { frames } = orThrow(sent)
    this.#fresh = false
    const cancel = (): void => void this.session.cancel(this.id)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      for await (const frame of frames) yield wireEvent(frame)
    } finally {
      signal?.removeEventListener('abort', cancel)
    }
  }
}
