import { Exchange, type Asked, type ExchangeOptions } from './exchange.ts'
import { Transcript } from './transcript.ts'
import { followStream, turnStream, type ResumeOptions } from './turn-stream.ts'
import type {
  ClientEvent,
  OutgoingAnswer,
  OutgoingMessage,
  Reply,
  SessionDetails,
  SessionList,
  SessionSummary,
} from './types.ts'
import type { JsonObject } from '@amodal/kernel'

export { EventParser, type ParsedEvent } from './event-parser.ts'
export { Transcript } from './transcript.ts'
export { ClientError } from './types.ts'
export type {
  ClientEvent,
  OutgoingAnswer,
  OutgoingImage,
  OutgoingMessage,
  PastApproval,
  PastCall,
  PendingInput,
  Reply,
  SessionDetails,
  SessionList,
  SessionMessage,
  SessionSummary,
  SettledOutcome,
  UnknownOutcome,
} from './types.ts'

export interface ClientOptions extends ExchangeOptions, ResumeOptions {}

type Signal = Pick<Asked, 'signal'>

/**
 * An agent behind HTTP. Every method throws `ClientError` with the server's code where it is
 * refused.
 */
export interface Client {
  /**
   * Sends a message; gives its turn's events, `init` to `done`, over cut connections too. Leaving
   * it early cancels nothing.
   */
  send(message: OutgoingMessage): AsyncIterable<ClientEvent>
  /**
   * The events of the run in progress, such as one that waits for a person; ends at once where
   * nothing runs.
   */
  follow(session: string, options?: Signal): AsyncIterable<ClientEvent>
  /** Sends a message and reads its turn to the end, or to the question it waits for. */
  ask(message: OutgoingMessage): Promise<Reply>
  /** Answers questions of a turn that waits. */
  answer(
    session: string,
    answers: OutgoingAnswer | readonly OutgoingAnswer[],
    options?: Signal,
  ): Promise<{ readonly settled: readonly string[] }>
  cancel(session: string, options?: Signal): Promise<{ readonly active: boolean }>
  clear(session: string, options?: Signal): Promise<void>
  /** A new session with the history up to an entry (`seq`); all of it where `at` is left out. */
  fork(session: string, at?: number, options?: Signal): Promise<SessionSummary>
  /** @param page `waiting`: those alone that wait for a person; `tags`: that have all of them */
  sessions(
    page?: {
      readonly limit?: number
      readonly cursor?: string
      readonly waiting?: boolean
      readonly tags?: readonly string[]
    } & Signal,
  ): Promise<SessionList>
  session(session: string, options?: Signal): Promise<SessionDetails>
  update(
    session: string,
    change: {
      readonly title?: string
      readonly tags?: readonly string[]
      readonly metadata?: JsonObject
    },
    options?: Signal,
  ): Promise<SessionSummary>
  remove(session: string, options?: Signal): Promise<void>
  /** Sessions in which somebody has to decide: set aside, or with effects of unknown outcome. */
  attention(options?: Signal): Promise<readonly SessionSummary[]>
  /** Continues a session that was set aside; `cancel` ends its run instead. */
  retry(session: string, options?: Signal): Promise<void>
  /**
   * Settles an effect of unknown outcome: it happened, it did not, or it is made again under its
   * key.
   */
  settle(
    session: string,
    call: string,
    outcome: 'happened' | 'not_happened' | 'retry',
    options?: Signal,
  ): Promise<{ readonly settled: boolean }>
}

/**
 * Makes a client for browsers, Node and other hosts with `fetch`.
 *
 * @example
 * import { createClient } from '@amodal/sdk/client'
 *
 * const client = createClient({ url: 'http://127.0.0.1:3847' })
 * let session = ''
 * for await (const event of client.send({ text: 'What can you do?' })) {
 *   if (event.type === 'init') session = event.session_id
 *   if (event.type === 'text_delta') process.stdout.write(event.content)
 *   if (event.type === 'confirmation_required')
 *     await client.answer(session, { id: event.id, approved: true })
 * }
 */
export function createClient(options: ClientOptions): Client {
  const exchange = new Exchange(options)
  const at = (session: string, rest = ''): string =>
    `/sessions/${encodeURIComponent(session)}${rest}`
  const send = (message: OutgoingMessage): AsyncGenerator<ClientEvent, void, undefined> =>
    turnStream(exchange, message, options)
  const session = (id: string, { signal }: Signal = {}): Promise<SessionDetails> =>
    exchange.json(at(id), { signal })

  return {
    send,
    session,
    follow: (id, { signal } = {}) => followStream(exchange, { session: id }, signal, options),
    async ask(message) {
      const transcript = new Transcript()
      for await (const event of send(message)) {
        transcript.push(event)
        if (
          event.type === 'confirmation_required' ||
          event.type === 'ask_user' ||
          event.type === 'ask_choice'
        )
          break
      }
      const { events, text } = transcript
      const done = events.findLast((event) => event.type === 'done')
      const id = events.find((event) => event.type === 'init')?.session_id ?? message.session ?? ''
      const pending = done ? [] : (await session(id, { signal: message.signal })).pending_input
      return { session: id, text, events, reason: done?.reason, usage: done?.usage, pending }
    },
    answer: (id, answers, { signal } = {}) =>
      exchange.json('/ask-user-response', {
        method: 'POST',
        body: { session_id: id, responses: Array.isArray(answers) ? answers : [answers] },
        signal,
      }),
    cancel: (id, { signal } = {}) => exchange.json(at(id, '/cancel'), { method: 'POST', signal }),
    async clear(id, { signal } = {}) {
      await exchange.json(at(id, '/clear'), { method: 'POST', signal })
    },
    fork: (id, seq, { signal } = {}) =>
      exchange.json(at(id, '/fork'), { method: 'POST', body: { at: seq }, signal }),
    sessions: ({ limit, cursor, waiting, tags, signal } = {}) => {
      const query = new URLSearchParams({
        ...(limit !== undefined && { limit: String(limit) }),
        ...(cursor !== undefined && { cursor }),
        ...(waiting !== undefined && { waiting: String(waiting) }),
        ...(tags && { tags: tags.join(',') }),
      })
      return exchange.json(`/sessions?${query.toString()}`, { signal })
    },
    update: (id, change, { signal } = {}) =>
      exchange.json(at(id), { method: 'PATCH', body: change, signal }),
    async remove(id, { signal } = {}) {
      await exchange.json(at(id), { method: 'DELETE', signal })
    },
    async attention({ signal } = {}) {
      return (
        await exchange.json<{ readonly sessions: readonly SessionSummary[] }>(
          '/sessions?attention=true',
          { signal },
        )
      ).sessions
    },
    async retry(id, { signal } = {}) {
      await exchange.json(at(id, '/retry'), { method: 'POST', signal })
    },
    settle: (id, call, outcome, { signal } = {}) =>
      exchange.json(at(id, `/calls/${encodeURIComponent(call)}/outcome`), {
        method: 'POST',
        body: { outcome },
        signal,
      }),
  }
}
