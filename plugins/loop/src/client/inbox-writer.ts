import {
  type AsyncResult,
  type Accepted,
  err,
  failure,
  type Failure,
  type InboxBody,
  type SessionRecord,
  ok,
  type SessionDraft,
  type SessionId,
  type SessionKind,
} from '@amodal/sdk'
import { clean, newKey } from '@amodal/sdk/loop'
import { LiveLog } from '../streams/live-log.ts'
import type { RunningAgent } from '../running-agent.ts'
import { type SessionAccess, unknownSession } from './session-access.ts'

/** The result of accepting an item, and its text as it was written. */
export interface AcceptedItem {
  readonly acceptance: Accepted
  readonly sessionRecord: SessionRecord
  readonly text: string
}

interface MessageDraft {
  readonly key: string
  readonly body: InboxBody
  /** The session to create, if the message begins one. */
  readonly create?: SessionDraft | undefined
  /** The kind of the session to create. */
  readonly sessionKind?: SessionKind | undefined
  readonly title?: string
}

interface ControlDraft {
  readonly key: string
  readonly body: InboxBody
  /** ms since the epoch on the store's clock. */
  readonly expiresAt?: number
  /** Whether it resumes a session that is set aside. */
  readonly resumes?: boolean
}

const sessionExpired = (): Failure =>
  failure('SESSION_EXPIRED', 'the history of this session has expired')

/** Writes messages and controls into inboxes. An item that was accepted survives any crash. */
export class InboxWriter {
  readonly #runtime: RunningAgent
  readonly #access: SessionAccess

  constructor(runtime: RunningAgent, access: SessionAccess) {
    this.#runtime = runtime
    this.#access = access
  }

  async accept(
    session: SessionId,
    { key, body, create, sessionKind, title = '' }: MessageDraft,
    signal: AbortSignal | undefined,
  ): AsyncResult<AcceptedItem> {
    const text = JSON.stringify(clean(body))
    const { settings } = this.#runtime
    const item = {
      ...this.#item(session, key, text, false),
      ...(body.kind === 'message' ? { maxWaiting: settings.queue, title: clean(title) } : {}),
      ...(create
        ? {
            create: {
              principal: create.principal,
              title: clean(create.title),
              meta: JSON.stringify(clean(create.meta)),
              ...(sessionKind && { kind: sessionKind }),
            },
          }
        : {}),
    }
    const accepted = await this.#access.callStore(signal, (store, storeSignal) =>
      store.accept(item, storeSignal),
    )
    if (!accepted.ok) return accepted
    const { sessionRecord } = accepted.value
    if (!sessionRecord) return err(unknownSession())
    const refused = refusalOf(accepted.value, sessionRecord, text)
    return refused ? err(refused) : ok({ acceptance: accepted.value, sessionRecord, text })
  }

  async control(
    session: SessionId,
    { key, body, expiresAt, resumes = false }: ControlDraft,
    signal: AbortSignal | undefined,
  ): AsyncResult<'accepted' | 'repeated' | 'late'> {
    const text = JSON.stringify(clean(body))
    const { clock, ownedSessions } = this.#runtime
    const requestedAt = clock.monotonic()
    const item = {
      ...this.#item(session, key, text, true),
      resumes,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    const accepted = await this.#access.callStore(signal, (store, storeSignal) =>
      store.accept(item, storeSignal),
    )
    if (!accepted.ok) return accepted
    const { sessionRecord, claimed, isNew, late } = accepted.value
    if (!sessionRecord) return err(unknownSession())
    if (late) return ok('late')
    if (sessionRecord.status === 'expired') return err(sessionExpired())
    if (claimed) ownedSessions.serve(sessionRecord, requestedAt)
    else if (isNew)
      ownedSessions.control(this.#access.ref(session), { key, n: 0, body: text, control: true })
    // the stored control counts, and may differ from this one
    else void ownedSessions.readInbox(this.#access.ref(session))
    return ok(isNew ? 'accepted' : 'repeated')
  }

  /** Resolves when the item is done, or when it is accepted behind other items. */
  async served(
    session: SessionId,
    body: InboxBody,
    signal: AbortSignal | undefined,
    key = newKey(),
  ): AsyncResult<void> {
    const requestedAt = this.#runtime.clock.monotonic()
    const acceptedItem = await this.accept(session, { key, body }, signal)
    if (!acceptedItem.ok) return acceptedItem
    const { acceptance, sessionRecord, text } = acceptedItem.value
    if (!acceptance.claimed) return ok(undefined) // it is served in its order, like a message
    const live = new LiveLog(key, sessionRecord.head, sessionRecord.fencingToken)
    const done = new Promise<void>((resolve) => live.onEnd(() => resolve()))
    this.#runtime.ownedSessions.serve(sessionRecord, requestedAt, {
      item: { key, n: 0, body: text, control: false },
      live,
    })
    await done
    return ok(undefined)
  }

  #item(session: SessionId, key: string, body: string, control: boolean) {
    const { owner, ownedSessions, settings } = this.#runtime
    return {
      ...this.#access.ref(session),
      key,
      body,
      control,
      owner,
      mayClaim: ownedSessions.mayClaim,
      leaseMs: settings.leaseMs,
    }
  }
}

function refusalOf(
  accepted: Accepted,
  sessionRecord: SessionRecord,
  text: string,
): Failure | undefined {
  if (sessionRecord.status === 'expired') return sessionExpired()
  if (accepted.full)
    return failure('QUEUE_FULL', 'too many messages of this session wait for an answer')
  return !accepted.isNew && accepted.earlier !== undefined && accepted.earlier !== text
    ? failure('MESSAGE_CONFLICT', 'this key belongs to another message')
    : undefined
}
