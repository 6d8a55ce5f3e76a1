import {
  type AsyncResult,
  type AssetRef,
  err,
  failure,
  type Failure,
  type InboxBody,
  isId,
  ok,
  type SendRequest,
  type Sent,
  type SessionDraft,
  type SessionId,
  sessionId,
  sha256,
  SUBAGENT_META,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import { clean, newKey, newSessionId } from '@amodal/sdk/loop'
import { attached } from './attached.ts'
import type { Answers } from './answers.ts'
import { FrameQueue } from '../streams/frame-queue.ts'
import type { InboxWriter, AcceptedItem } from './inbox-writer.ts'
import { LiveLog } from '../streams/live-log.ts'
import { turnStartOf } from '../streams/turn-start.ts'
import { placeInJournal, Reader } from '../streams/reader.ts'
import type { RunningAgent } from '../running-agent.ts'
import { type SessionAccess, unknownSession } from './session-access.ts'

interface SenderParts {
  readonly runtime: RunningAgent
  readonly access: SessionAccess
  readonly inbox: InboxWriter
  readonly answers: Answers
}

/** A message that the store has accepted. */
interface AcceptedMessage {
  readonly request: SendRequest
  readonly session: SessionId
  readonly key: string
  /** Monotonic ms from before it was accepted. */
  readonly requestedAt: number
  readonly acceptedItem: AcceptedItem
}

/** Sends messages, each of which begins a run, and follows their runs. */
export class Sender {
  readonly #parts: SenderParts
  /** Pending attachments by session. */
  readonly #attaching = new Map<SessionId, AsyncResult<readonly AssetRef[]>>()

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  async send(request: SendRequest, signal: AbortSignal | undefined): AsyncResult<Sent> {
    const { runtime, inbox } = this.#parts
    const key = request.key ?? newKey()
    if (request.text.trim() === '' && !request.assets?.length)
      return err(failure('VALIDATION_ERROR', 'message: must not be empty'))
    const draft = await this.draft(request)
    if (!draft.ok) return draft
    const { session, title } = draft.value
    const refused = await this.#accessFailure(request, session, signal)
    if (refused) return err(refused)
    if (request.parent) {
      const created = await this.#createChildSession(request.parent, draft.value, signal)
      if (!created.ok) return created
    }
    const files = await this.#files(request, session, signal)
    if (!files.ok) return files
    const requestedAt = runtime.clock.monotonic()
    const create = opensSession(request) ? draft.value : undefined
    const accepted = await inbox.accept(
      session,
      {
        key,
        body: this.#body(request, files.value, draft.value.trace),
        create,
        sessionKind: request.kind,
        title,
      },
      signal,
    )
    if (!accepted.ok) return accepted
    return this.#serveAndFollow(
      { request, session, key, requestedAt, acceptedItem: accepted.value },
      signal,
    )
  }

  /**
   * Attaches the files of a message. Later messages of the session wait for them, to stay in order.
   */
  async #files(
    request: SendRequest,
    session: SessionId,
    signal: AbortSignal | undefined,
  ): AsyncResult<readonly AssetRef[]> {
    const previous = this.#attaching.get(session)
    if (!previous && !request.assets?.length) return ok([])
    const { runtime, access } = this.#parts
    const { principal, listedPrincipal: only } = access
    const attach = (): AsyncResult<readonly AssetRef[]> =>
      attached(request, { principal, session, only }, { runtime, access }, signal)
    const attachment = previous ? previous.then(attach, attach) : attach()
    this.#attaching.set(session, attachment)
    try {
      return await attachment
    } finally {
      if (this.#attaching.get(session) === attachment) this.#attaching.delete(session)
    }
  }

  /** The draft of a new session, or of the existing one that continues. */
  async draft(request: SendRequest): AsyncResult<SessionDraft> {
    const { runtime, access } = this.#parts
    if (runtime.unavailable) return err(runtime.unavailable)
    if (request.session !== undefined && !isId(request.session)) return err(unknownSession())
    const draft: SessionDraft = {
      tenant: access.tenant,
      session: request.session ?? this.#newSession(request.key),
      principal: access.principal,
      title: textStart(request.text.trim().replaceAll(/\s+/g, ' '), 80),
      meta: {},
    }
    const { open } = runtime.hooks().session
    if (!open.tapped) return ok(draft)
    const opened = await open.call(draft, {
      fresh: opensSession(request),
      ...(request.parent && { parent: request.parent.session }),
      headers: request.headers ?? {},
      context: request.context ?? {},
    })
    const { tenant, session, principal } = draft
    return opened.ok
      ? ok({ ...opened.value, tenant, session, principal })
      : err(opened.error.toFailure())
  }

  #body(
    { text, context, limits, sessionState }: SendRequest,
    assets: readonly AssetRef[],
    trace: string | undefined,
  ): InboxBody {
    const { principal, roles, delegated } = this.#parts.access
    return {
      kind: 'message',
      text,
      principal,
      ...(assets.length > 0 ? { assets } : {}),
      ...(context ? { context } : {}),
      ...(limits ? { limits } : {}),
      ...(roles.length > 0 ? { roles } : {}),
      ...(delegated ? { delegated: true } : {}),
      ...(sessionState ? { sessionState } : {}),
      ...(trace === undefined ? {} : { trace }),
    }
  }

  /** Why the principal may not send to the session that the request names. */
  async #accessFailure(
    { session: existing }: SendRequest,
    session: SessionId,
    signal: AbortSignal | undefined,
  ): Promise<Failure | undefined> {
    return existing === undefined ? undefined : this.#parts.access.accessFailure(session, signal)
  }

  async #serveAndFollow(
    message: AcceptedMessage,
    signal: AbortSignal | undefined,
  ): AsyncResult<Sent> {
    const { runtime, access, answers } = this.#parts
    const { request, session, key } = message
    const { acceptance, sessionRecord } = message.acceptedItem
    this.#announce(message)
    const live = this.#serve(message)
    // A repeated message is streamed from the beginning of its turn, so its first frame claims no
    // later position.
    const startSeq = acceptance.isNew
      ? ok(sessionRecord.head)
      : await access.callStore(signal, (store, storeSignal) =>
          turnStartOf(key, sessionRecord, store, storeSignal),
        )
    if (!startSeq.ok) return startSeq
    const queue = new FrameQueue(request.events)
    queue.push({
      id: { seq: startSeq.value, fencingToken: sessionRecord.fencingToken, attempt: 0, n: 0 },
      at: runtime.clock.now(),
      event: { type: 'init', session_id: session },
    })
    const from = placeInJournal(startSeq.value)
    const reader = new Reader(runtime, { ref: access.ref(session), key, from }, queue)
    if (live) reader.join(live, 0)
    else void reader.read()
    if (sessionRecord.parked) answers.settleExpired(sessionRecord)
    // An answer has claimed a parked session that has an owner, so this message is next.
    const isBehindQuestion = sessionRecord.parked && sessionRecord.owner === undefined
    return ok({ session, key, repeated: !acceptance.isNew, isBehindQuestion, frames: queue })
  }

  #announce({
    request,
    session,
    acceptedItem: { acceptance, sessionRecord },
  }: AcceptedMessage): void {
    const { access } = this.#parts
    if (!acceptance.isNew || access.delegated) return
    // Nobody had it before: it is not claimed yet, or by this message.
    const isCreated =
      opensSession(request) && sessionRecord.head === 0 && sessionRecord.fencingToken <= 1
    access.announce(isCreated ? 'session_created' : 'session_updated', session)
  }

  /**
   * Begins to serve the session if it is this process that owns it now.
   *
   * @returns the live log of the message's turn, if that begins now
   */
  #serve({
    session,
    key,
    requestedAt,
    acceptedItem: { acceptance, sessionRecord, text },
  }: AcceptedMessage): LiveLog | undefined {
    const { runtime, access } = this.#parts
    const { owner, ownedSessions } = runtime
    if (acceptance.claimed) {
      const live = new LiveLog(key, sessionRecord.head, sessionRecord.fencingToken)
      ownedSessions.serve(sessionRecord, requestedAt, {
        item: { key, n: 0, body: text, control: false },
        live,
      })
      return live
    }
    // The response to an earlier accept may have been lost: then this process owns the session
    // without serving it.
    if (
      !acceptance.isNew &&
      sessionRecord.owner === owner &&
      !ownedSessions.owns(access.ref(session))
    )
      ownedSessions.serve(sessionRecord, requestedAt)
    return undefined
  }

  /** Creates the session of a sub-agent, which shares no history with its parent. Idempotent. */
  async #createChildSession(
    { session: parent, agent }: NonNullable<SendRequest['parent']>,
    { session, title, meta }: SessionDraft,
    signal: AbortSignal | undefined,
  ): AsyncResult<void> {
    const { access } = this.#parts
    const create = {
      principal: access.principal,
      title: clean(title),
      meta: JSON.stringify({ ...clean(meta), [SUBAGENT_META]: clean(agent) }),
    }
    const forked = await access.callStore(signal, (store, storeSignal) =>
      store.fork(access.ref(parent), session, 0, create, storeSignal),
    )
    if (!forked.ok) return forked
    return forked.value ? ok(undefined) : err(unknownSession())
  }

  /**
   * Derives the session from the key, so that a first message that is sent twice is one message.
   */
  #newSession(key: string | undefined): SessionId {
    const { tenant, principal } = this.#parts.access
    return key === undefined
      ? newSessionId()
      : sessionId(`sess_${sha256(JSON.stringify([tenant, principal, key])).slice(0, 24)}`)
  }
}

const opensSession = ({ session, create }: SendRequest): boolean =>
  session === undefined || create === true
