import type { JsonObject } from '@amodal/kernel'
import type { Signal } from './http-transport.ts'
import type { Runs } from './runs.ts'
import type { ServerEvent, ServerEventsOptions } from './server-events.ts'
import type { LiveState } from './state-stream.ts'
import type { Stores } from './stores.ts'
import type { Tasks } from './tasks.ts'
import type {
  AnswerInput,
  ClientEvent,
  FeedbackGiven,
  FeedbackInput,
  FeedbackOffer,
  MessageInput,
  Opinion,
  Reply,
  SessionDetails,
  SessionList,
  SessionStanding,
  SessionSummary,
  UploadedFile,
} from './types.ts'
import type { UploadOptions } from './upload-file.ts'

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

/** What a session begins with. */
export interface SessionInput extends Signal {
  readonly title?: string
  readonly tags?: readonly string[]
  readonly metadata?: JsonObject
  /** The same key again is the same session; made here where it is absent. */
  readonly key?: string
}

/**
 * An agent behind HTTP. Every method throws `ClientError` with the server's code where it is
 * refused.
 */
export interface Client {
  /** The documents of its stores. */
  readonly stores: Stores
  /** Work in the background. */
  readonly tasks: Tasks
  /** Sessions that are started with a task and leave a result. */
  readonly runs: Runs
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
  /**
   * Lets the server fetch a file by its address, for messages.
   *
   * @example
   * const { id } = await client.uploadFrom('https://example.com/report.pdf')
   */
  uploadFrom(url: string, options?: Omit<UploadOptions, 'type'>): Promise<UploadedFile>
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
  /** A session without a message yet. */
  create(session?: SessionInput): Promise<SessionSummary>
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
  /** The caller's own ratings of answers of a session, 200 at most. */
  opinions(session: string, options?: Signal): Promise<readonly Opinion[]>
  /**
   * What changes on the server, until the connection ends.
   *
   * @param onOpen called once events that happen from then on are received
   */
  changes(options?: ServerEventsOptions, onOpen?: () => void): AsyncIterable<ServerEvent>
}
