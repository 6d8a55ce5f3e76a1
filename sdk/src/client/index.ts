import { defined } from '../defined.ts'
import { HttpTransport, type HttpRequest, type HttpTransportOptions } from './http-transport.ts'
import { stateStream, type LiveState } from './state-stream.ts'
import { Transcript } from './transcript.ts'
import { followStream, turnStream, type ResumeOptions } from './turn-stream.ts'
import type {
  ClientEvent,
  AnswerInput,
  FeedbackGiven,
  FeedbackInput,
  FeedbackOffer,
  MessageInput,
  Reply,
  SessionDetails,
  SessionList,
  SessionStanding,
  SessionSummary,
  UploadedFile,
} from './types.ts'
import { uploadFile, type UploadOptions } from './upload-file.ts'
import type { JsonObject } from '@amodal/kernel'

export { EventParser, type ParsedEvent } from './event-parser.ts'
export { patched } from './json-patch.ts'
export type { LiveState } from './state-stream.ts'
export { Transcript } from './transcript.ts'
export { ClientError } from './types.ts'
export type {
  ClientEvent,
  AnswerInput,
  FeedbackGiven,
  FeedbackInput,
  FeedbackOffer,
  FileInput,
  Grant,
  ImageInput,
  MessageInput,
  PastApproval,
  PastCall,
  PendingInput,
  Reply,
  SessionDetails,
  SessionList,
  SessionMessage,
  SessionStanding,
  SessionSummary,
  SettledOutcome,
  UnknownOutcome,
  UploadedFile,
} from './types.ts'

export interface ClientOptions extends HttpTransportOptions, ResumeOptions {}

type Signal = Pick<HttpRequest, 'signal'>

/** Which sessions are listed, and how many of them at once. */
export interface SessionQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly waiting?: boolean
  readonly tags?: readonly string[]
  readonly kind?: SessionSummary['kind']
  /** In the title, whatever the case of its letters, or at the beginning of the id. */
  readonly q?: string
  readonly status?: SessionStanding
  /** The model that was used last. */
  readonly model?: string
  /** ISO 8601: last used at this time or later. */
  readonly from?: string
  /** ISO 8601: last used before this time. */
  readonly to?: string
}

/**
 * An agent behind HTTP. Every method throws `ClientError` with the server's code where it is
 * refused.
 */
export interface Client {
  /**
   * Sends a message; gives its turn's events, `init` to `done`, over cut connections too. Leaving
   * it early cancels nothing.
   */
  send(message: MessageInput): AsyncIterable<ClientEvent>
  /**
   * The events of the run in progress, such as one that waits for a person; ends at once where
   * nothing runs.
   */
  follow(session: string, options?: Signal): AsyncIterable<ClientEvent>
  /**
   * Uploads a file for messages: the same bytes again are the same file.
   *
   * @example
   * const file = new Blob(['a,b\n1,2\n'], { type: 'text/csv' })
   * const { id } = await client.upload(file, { name: 'a.csv' })
   * const { text } = await client.ask({ text: 'What is in it?', assets: [id] })
   */
  upload(file: Blob | Uint8Array<ArrayBuffer>, options?: UploadOptions): Promise<UploadedFile>
  /** The bytes of a file that the caller may see. */
  download(id: string, options?: Signal): Promise<Blob>
  /** Deletes a file of the caller, also from messages that have it. */
  deleteFile(id: string, options?: Signal): Promise<void>
  /** Sends a message and reads its turn to the end, or to the question it waits for. */
  ask(message: MessageInput): Promise<Reply>
  /** Answers questions of a turn that waits. */
  answer(
    session: string,
    answers: AnswerInput | readonly AnswerInput[],
    options?: Signal,
  ): Promise<{ readonly settled: readonly string[] }>
  cancel(session: string, options?: Signal): Promise<{ readonly active: boolean }>
  clear(session: string, options?: Signal): Promise<void>
  /** A new session with the history up to an entry (`seq`); all of it where `at` is left out. */
  fork(session: string, at?: number, options?: Signal): Promise<SessionSummary>
  /**
   * @param page `waiting`: those alone that wait for a person; `tags`: that have all of them;
   *   `kind`: that were begun for it, such as `admin`, which are not listed otherwise
   * @example
   * const { sessions } = await client.sessions({ q: 'refund', status: 'failed', limit: 20 })
   */
  sessions(page?: SessionQuery & Signal): Promise<SessionList>
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
  /** The live state of a session, as the caller may see it. */
  state(session: string, options?: Signal): Promise<LiveState>
  /**
   * Changes fields of the live state that are open for the API. Throws `STATE_CONFLICT` where it is
   * not at that version any more; `*` stands for any.
   */
  changeState(
    session: string,
    changes: JsonObject,
    version: string,
    options?: Signal,
  ): Promise<LiveState>
  /** A mirror of the live state: as it is, and again after each change. */
  followState(session: string, options?: Signal): AsyncIterable<LiveState>
  /** Sessions that wait for a decision: set aside, or with effects of unknown outcome. */
  attention(options?: Signal): Promise<readonly SessionSummary[]>
  /** Continues a session that was set aside; `cancel` ends its run instead. */
  retry(session: string, options?: Signal): Promise<void>
  /** Ends an approval for the rest of a conversation. */
  revoke(session: string, grant: string, options?: Signal): Promise<void>
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
  /**
   * Rates an answer; a second rating replaces the first.
   *
   * @example
   * const { session } = await client.ask({ text: 'What can you do?' })
   * await client.feedback({ session, rating: 'down', categories: ['incomplete'] })
   */
  feedback(input: FeedbackInput, options?: Signal): Promise<FeedbackGiven>
  /** The reasons that people are offered. */
  feedbackOffer(options?: Signal): Promise<FeedbackOffer>
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
  const transport = new HttpTransport(options)
  const at = (session: string, rest = ''): string =>
    `/sessions/${encodeURIComponent(session)}${rest}`
  const send = (message: MessageInput): AsyncGenerator<ClientEvent, void, undefined> =>
    turnStream(transport, message, options)
  const session = (id: string, { signal }: Signal = {}): Promise<SessionDetails> =>
    transport.json(at(id), { signal })

  return {
    send,
    session,
    follow: (id, { signal } = {}) => followStream(transport, { session: id }, signal, options),
    async ask(message) {
      const { events, text } = await untilAsked(send(message))
      const done = events.findLast((event) => event.type === 'done')
      const id = events.find((event) => event.type === 'init')?.session_id ?? message.session ?? ''
      const pending = done ? [] : (await session(id, { signal: message.signal })).pending_input
      return { session: id, text, events, reason: done?.reason, usage: done?.usage, pending }
    },
    answer: (id, answers, { signal } = {}) =>
      transport.json('/ask-user-response', {
        method: 'POST',
        body: { session_id: id, responses: Array.isArray(answers) ? answers : [answers] },
        signal,
      }),
    cancel: (id, { signal } = {}) => transport.json(at(id, '/cancel'), { method: 'POST', signal }),
    async clear(id, { signal } = {}) {
      await transport.json(at(id, '/clear'), { method: 'POST', signal })
    },
    fork: (id, seq, { signal } = {}) =>
      transport.json(at(id, '/fork'), { method: 'POST', body: { at: seq }, signal }),
    sessions: ({ signal, ...page } = {}) =>
      transport.json(`/sessions?${queryOf(page)}`, { signal }),
    update: (id, change, { signal } = {}) =>
      transport.json(at(id), { method: 'PATCH', body: change, signal }),
    async remove(id, { signal } = {}) {
      await transport.json(at(id), { method: 'DELETE', signal })
    },
    ...stateMethods(transport, at, options),
    ...decisionMethods(transport, at),
    ...fileMethods(transport),
    ...feedbackMethods(transport),
    async attention({ signal } = {}) {
      const page = await transport.json<SessionList>('/sessions?attention=true', { signal })
      return page.sessions
    },
    async retry(id, { signal } = {}) {
      await transport.json(at(id, '/retry'), { method: 'POST', signal })
    },
  }
}

const fileMethods = (
  transport: HttpTransport,
): Pick<Client, 'upload' | 'download' | 'deleteFile'> => ({
  upload: (file, options) => uploadFile(transport, file, options),
  async download(id, { signal } = {}) {
    const response = await transport.open(`/assets/${encodeURIComponent(id)}`, { signal })
    return response.blob()
  },
  async deleteFile(id, { signal } = {}) {
    await transport.open(`/assets/${encodeURIComponent(id)}`, { method: 'DELETE', signal })
  },
})

const feedbackMethods = (transport: HttpTransport): Pick<Client, 'feedback' | 'feedbackOffer'> => ({
  feedback: ({ session, message, ...opinion }, { signal } = {}) =>
    transport.json('/api/feedback', {
      method: 'POST',
      body: { session_id: session, message_id: message, ...opinion },
      signal,
    }),
  feedbackOffer: ({ signal } = {}) => transport.json('/api/feedback/categories', { signal }),
})

const decisionMethods = (
  transport: HttpTransport,
  at: (session: string, rest: string) => string,
): Pick<Client, 'revoke' | 'settle'> => ({
  async revoke(id, grant, { signal } = {}) {
    const path = at(id, `/grants/${encodeURIComponent(grant)}`)
    await transport.json(path, { method: 'DELETE', signal })
  },
  settle: (id, call, outcome, { signal } = {}) =>
    transport.json(at(id, `/calls/${encodeURIComponent(call)}/outcome`), {
      method: 'POST',
      body: { outcome },
      signal,
    }),
})

const stateMethods = (
  transport: HttpTransport,
  at: (session: string, rest: string) => string,
  options: ResumeOptions,
): Pick<Client, 'state' | 'changeState' | 'followState'> => ({
  state: (id, { signal } = {}) => transport.json(at(id, '/state'), { signal }),
  changeState: (id, changes, version, { signal } = {}) =>
    transport.json(at(id, '/state'), {
      method: 'PATCH',
      body: changes,
      headers: { 'if-match': version === '*' ? version : `"${version}"` },
      signal,
    }),
  followState: (id, { signal } = {}) =>
    stateStream(transport, at(id, '/state/stream'), signal, options),
})

/** What a turn says until it is over, or waits for a person. */
async function untilAsked(events: AsyncIterable<ClientEvent>): Promise<Transcript> {
  const transcript = new Transcript()
  for await (const event of events) {
    transcript.push(event)
    if (ASKS.has(event.type)) break
  }
  return transcript
}

const ASKS: ReadonlySet<string> = new Set(['confirmation_required', 'ask_user', 'ask_choice'])

function queryOf(page: SessionQuery): string {
  const { limit, cursor, waiting, tags, kind, q, status, model, from, to } = page
  const query = defined({
    ...{ q, status, model, from, to },
    limit: limit?.toString(),
    cursor,
    waiting: waiting?.toString(),
    tags: tags?.join(','),
    kind,
  })
  return new URLSearchParams(query).toString()
}
