import {
  type AsyncResult,
  type Caller,
  err,
  failure,
  type Failure,
  isId,
  type SessionRef,
  type SessionRecord,
  ok,
  type SequencedEntry,
  type PrincipalId,
  principalId,
  readEntries,
  type SessionId,
  type SessionRow,
  type SessionStore,
  type TenantId,
} from '@amodal/sdk'
import { callStore } from '@amodal/sdk/loop'
import type { RunningAgent } from '../running-agent.ts'

export const unknownSession = (): Failure =>
  failure('SESSION_NOT_FOUND', 'there is no such session')

/** The sessions that one caller may see. Sessions of others look as if they did not exist. */
export class SessionAccess {
  readonly tenant: TenantId
  readonly principal: PrincipalId
  readonly roles: readonly string[]
  readonly delegated: boolean
  /** Why the caller may not decide for runs. */
  readonly decisionRefusal: Failure | undefined
  readonly #runtime: RunningAgent
  readonly #ownSessionsOnly: boolean

  constructor(runtime: RunningAgent, caller: Caller) {
    const { roles = [], delegated = false, ownSessionsOnly = false, mayNotDecide } = caller
    this.tenant = caller.tenant
    this.principal = caller.principal
    this.roles = roles
    this.delegated = delegated
    // Status 401: what the caller lacks is a credential, the local token.
    this.decisionRefusal =
      mayNotDecide === undefined ? undefined : failure('UNAUTHENTICATED', mayNotDecide)
    this.#runtime = runtime
    this.#ownSessionsOnly = ownSessionsOnly
  }

  /** The principal whose sessions are listed; `undefined`: the sessions of all principals. */
  get listedPrincipal(): PrincipalId | undefined {
    return this.#ownSessionsOnly ? this.principal : undefined
  }

  ref(session: SessionId): SessionRef {
    return { tenant: this.tenant, session }
  }

  async sessionRecord(
    session: SessionId,
    signal: AbortSignal | undefined,
  ): AsyncResult<SessionRecord> {
    if (!isId(session)) return err(unknownSession())
    const refused = await this.accessFailure(session, signal)
    if (refused) return err(refused)
    const sessionRecord = await this.callStore(signal, (store, storeSignal) =>
      store.sessionRecord(this.ref(session), storeSignal),
    )
    if (!sessionRecord.ok) return sessionRecord
    return sessionRecord.value ? ok(sessionRecord.value) : err(unknownSession())
  }

  async row(session: SessionId, signal: AbortSignal | undefined): AsyncResult<SessionRow> {
    if (!isId(session)) return err(unknownSession())
    const row = await this.callStore(signal, (store, storeSignal) =>
      store.row(this.ref(session), storeSignal),
    )
    if (!row.ok) return row
    return row.value && this.#maySee(row.value) ? ok(row.value) : err(unknownSession())
  }

  /** The journal of a session after an entry. The caller has checked the access. */
  async entries(
    session: SessionId,
    after: number,
    signal: AbortSignal | undefined,
    upto?: number,
  ): AsyncResult<readonly SequencedEntry[]> {
    const stored = await this.callStore(signal, (store, storeSignal) =>
      store.entries(this.ref(session), { after, ...(upto !== undefined && { upto }) }, storeSignal),
    )
    return stored.ok ? readEntries(stored.value) : stored
  }

  /** Why the principal may not use an existing session; `undefined` for a new one. */
  async accessFailure(
    session: SessionId,
    signal: AbortSignal | undefined,
  ): Promise<Failure | undefined> {
    if (!this.#ownSessionsOnly) return undefined
    const row = await this.callStore(signal, (store, storeSignal) =>
      store.row(this.ref(session), storeSignal),
    )
    if (!row.ok) return row.error
    return row.value && !this.#maySee(row.value) ? unknownSession() : undefined
  }

  /** Calls the session store. `storeSignal` aborts at the deadline, or with the caller's signal. */
  async callStore<T>(
    signal: AbortSignal | undefined,
    work: (store: SessionStore, storeSignal: AbortSignal) => AsyncResult<T>,
  ): AsyncResult<T> {
    const { unavailable, settings } = this.#runtime
    return unavailable
      ? err(unavailable)
      : callStore(
          settings.storeMs,
          (storeSignal) => work(this.#runtime.store(), storeSignal),
          signal,
        )
  }

  /**
   * Announces a change of a session to the watchers of the server.
   *
   * @param row where it is known: it may belong to another principal than the caller
   */
  announce(
    type: 'session_created' | 'session_updated',
    session: SessionId,
    row?: SessionRow,
  ): void {
    this.#runtime.announce(
      { type, sessionId: session, appId: this.#runtime.app, ...(row && { title: row.title }) },
      { tenant: this.tenant, principal: row ? principalId(row.principal) : this.principal },
    )
  }

  #maySee({ principal }: SessionRow): boolean {
    return !this.#ownSessionsOnly || principal === this.principal
  }
}
