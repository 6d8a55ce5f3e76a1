import {
  type AsyncResult,
  type CallId,
  err,
  failure,
  ok,
  type SessionId,
  type SessionRow,
  type Settlement,
  stateOf,
} from '@amodal/sdk'
import { childrenOf } from '@amodal/sdk/loop'
import { randomUUID } from 'node:crypto'
import type { InboxWriter } from './inbox-writer.ts'
import type { SessionAccess } from './session-access.ts'
import { noRetry, type SettledData, unknownEffect, type UnknownEffect } from '../run/settle.ts'

/** The most sessions that need a decision to be listed. */
const MOST_TROUBLED = 200

/** What a caller decides about runs: to cancel or retry them, and how an unknown effect ended. */
export class Decisions {
  readonly #access: SessionAccess
  readonly #inbox: InboxWriter

  constructor(access: SessionAccess, inbox: InboxWriter) {
    this.#access = access
    this.#inbox = inbox
  }

  async cancel(
    session: SessionId,
    signal?: AbortSignal,
  ): AsyncResult<{ readonly active: boolean }> {
    const sessionRecord = await this.#access.sessionRecord(session, signal)
    if (!sessionRecord.ok) return sessionRecord
    const state = stateOf(sessionRecord.value)
    const isSetAside = sessionRecord.value.setAside !== undefined
    if (state.kind === 'idle' && sessionRecord.value.owner === undefined && !isSetAside)
      return ok({ active: false })
    for (const { child } of childrenOf(state)) await this.cancel(child, signal)
    const accepted = await this.#inbox.control(
      session,
      {
        key: randomUUID(),
        body: { kind: 'cancel', principal: this.#access.principal },
        resumes: isSetAside,
      },
      signal,
    )
    return accepted.ok ? ok({ active: true }) : accepted
  }

  async retry(session: SessionId, signal?: AbortSignal): AsyncResult<void> {
    if (this.#access.decisionRefusal) return err(this.#access.decisionRefusal)
    const sessionRecord = await this.#access.sessionRecord(session, signal)
    if (!sessionRecord.ok) return sessionRecord
    if (sessionRecord.value.setAside === undefined)
      return err(failure('NOT_SET_ASIDE', 'the session is not set aside'))
    const accepted = await this.#inbox.control(
      session,
      {
        key: randomUUID(),
        body: { kind: 'retry', principal: this.#access.principal },
        resumes: true,
      },
      signal,
    )
    return accepted.ok ? ok(undefined) : accepted
  }

  async troubled(signal?: AbortSignal): AsyncResult<readonly SessionRow[]> {
    return this.#access.callStore(signal, (store, storeSignal) =>
      store.troubled(this.#access.tenant, this.#access.listedPrincipal, MOST_TROUBLED, storeSignal),
    )
  }

  async settle(
    session: SessionId,
    call: CallId,
    settlement: Settlement,
    signal?: AbortSignal,
  ): AsyncResult<{ readonly settled: boolean }> {
    if (this.#access.decisionRefusal) return err(this.#access.decisionRefusal)
    const open = await this.#unsettled(session, call, settlement, signal)
    if (!open.ok) return open
    const roles = this.#access.roles.length > 0 ? { roles: this.#access.roles } : {}
    const done = await this.#inbox.served(
      session,
      { kind: 'settle', call, settlement, principal: this.#access.principal, ...roles },
      signal,
    )
    if (!done.ok) return done
    const now = await this.#access.entries(session, 0, signal)
    if (!now.ok) return now
    const by = unknownEffect(now.value, call)?.settled
    if (by && (by.data as SettledData).settlement !== settlement)
      return err(failure('ASK_SETTLED', `the outcome of "${call}" was settled otherwise meanwhile`))
    return ok({ settled: by !== undefined })
  }

  /** Finds an effect of unknown outcome that may be settled in this way. */
  async #unsettled(
    session: SessionId,
    call: CallId,
    settlement: Settlement,
    signal: AbortSignal | undefined,
  ): AsyncResult<UnknownEffect> {
    const row = await this.#access.row(session, signal)
    if (!row.ok) return row
    const entries = await this.#access.entries(session, 0, signal)
    if (!entries.ok) return entries
    const effect = unknownEffect(entries.value, call)
    if (!effect) return err(failure('NOT_FOUND', `the call "${call}" has no unknown outcome`))
    if (effect.settled)
      return err(failure('ASK_SETTLED', `the outcome of "${call}" was settled before`))
    const refused = settlement === 'retry' ? noRetry(effect) : undefined
    return refused === undefined
      ? ok(effect)
      : err(
          failure(
            'NOT_RETRYABLE',
            `outcome: the call cannot be retried: ${refused}. Check the target, then send "happened" or "not_happened"`,
          ),
        )
  }
}
