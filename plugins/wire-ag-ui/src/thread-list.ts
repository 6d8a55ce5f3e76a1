import type { ClientMessage, ContentPart, Message } from './event.ts'

type Assistant = Extract<Message, { role: 'assistant' }>

/**
 * The messages of a thread while a run adds to them: what a client has after the events, so that it
 * can be told again where something is taken back.
 */
export class ThreadList {
  readonly #before: readonly (Message | ClientMessage)[]
  #own: readonly Message[] = []

  /** @param before what the client has before the run */
  constructor(before: readonly (Message | ClientMessage)[]) {
    this.#before = before
  }

  get messages(): readonly (Message | ClientMessage)[] {
    return [...this.#before, ...this.#own]
  }

  /** What the run has added. */
  get own(): readonly Message[] {
    return this.#own
  }

  restore(own: readonly Message[]): void {
    this.#own = own
  }

  text(id: string, delta: string): void {
    this.#change(id, (message) => ({ ...message, content: (message.content ?? '') + delta }))
  }

  call(id: string, call: NonNullable<Assistant['toolCalls']>[number]): void {
    this.#change(id, (message) => ({
      ...message,
      toolCalls: [...(message.toolCalls ?? []), call],
    }))
  }

  result(id: string, toolCallId: string, content: string | readonly ContentPart[]): void {
    this.#own = [...this.#own, { id, role: 'tool', toolCallId, content }]
  }

  #change(id: string, change: (message: Assistant) => Assistant): void {
    const known = this.#own.some((message) => message.id === id)
    const all: readonly Message[] = known ? this.#own : [...this.#own, { id, role: 'assistant' }]
    this.#own = all.map((message) =>
      message.id === id && message.role === 'assistant' ? change(message) : message,
    )
  }
}
