import { newSessionId, type SessionId } from '@amodal/kernel'
import { orThrow } from './amodal-error.ts'
import {
  askId,
  onAbort,
  type AgentClient,
  type AssetInput,
  type JsonObject,
  type WireEvent,
} from '@amodal/sdk'
import { wireEvent } from '@amodal/sdk/wire'

/** An event of a turn that waits for a person. */
export type QuestionEvent = Extract<
  WireEvent,
  { type: 'confirmation_required' | 'ask_user' | 'ask_choice' }
>

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
  /**
   * Answers a question of a turn, which then goes on.
   *
   * @param event the question, as {@link AgentSession.stream} gives it
   * @param answer `{ approved: true }` or `false` to `confirmation_required`, with an optional
   *   `comment`; `{ response }` or `{ answers }` to `ask_user`; `{ values }` to `ask_choice`
   * @throws {@link AmodalError} `ANSWER_INVALID` where the answer does not fit the question,
   *   `ASK_NOT_FOUND`, `ASK_SETTLED` or `ASK_EXPIRED` where the question is not open any more
   * @example
   * for await (const event of session.stream('Order new brake pads.'))
   *   if (event.type === 'confirmation_required') await session.answer(event, { approved: true })
   */
  answer(event: QuestionEvent, answer: JsonObject): Promise<void>
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

  async answer(event: QuestionEvent, answer: JsonObject): Promise<void> {
    const id = askId(event.type === 'confirmation_required' ? event.id : event.ask_id)
    orThrow(await this.session.answer(this.id, [{ id, answer }]))
  }
}
