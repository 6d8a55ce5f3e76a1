import {
  type AsyncResult,
  type AgentClient,
  err,
  failure,
  ok,
  OutputRedactor,
  type Page,
  principalId,
  type SessionId,
  type SessionRow,
  type SessionTotals,
  type SessionView,
  sha256,
  stateOf,
} from '@amodal/sdk'
import {
  AssetStore,
  callStore,
  clean,
  newSessionId,
  openAsks,
  defined,
  isSubagentSession,
  LISTED_KINDS,
} from '@amodal/sdk/loop'
import { publicOf } from '../streams/project.ts'
import { effectKeyOf } from '../tool-calls/effect-key.ts'
import type { RunningAgent } from '../running-agent.ts'
import type { Sender } from './sender.ts'
import { type SessionAccess, unknownSession } from './session-access.ts'
import { noRetry, unknownEffects } from '../run/settle.ts'

/** What a caller may change of a session's row. */
export type SessionEdit = Parameters<AgentClient['update']>[1]

/** The sessions of a caller: they are opened, forked, listed, read, changed and removed. */
export class CallerSessions {
  readonly #runtime: RunningAgent
  readonly #access: SessionAccess
  readonly #sender: Sender

  constructor(runtime: RunningAgent, access: SessionAccess, sender: Sender) {
    this.#runtime = runtime
    this.#access = access
    this.#sender = sender
  }

  async fork(
    session: SessionId,
    at: number | undefined,
    signal?: AbortSignal,
  ): AsyncResult<SessionRow> {
    const row = await this.#access.row(session, signal)
    if (!row.ok) return row
    const seq = at ?? row.value.head
    if (!Number.isInteger(seq) || seq < 0 || seq > row.value.head)
      return err(
        failure('VALIDATION_ERROR', `at: must be a whole number from 0 to ${row.value.head}`),
      )
    const child = newSessionId()
    const { title, meta } = row.value
    const held = await this.#holdFiles(session, seq, child, signal)
    if (!held.ok) return held
    const forked = await this.#access.callStore(signal, (store, storeSignal) =>
      store.fork(
        this.#access.ref(session),
        child,
        seq,
        { principal: this.#access.principal, title, meta },
        storeSignal,
      ),
    )
    if (!forked.ok) return forked
    if (!forked.value) return err(unknownSession())
    this.#access.announce('session_created', child)
    return this.#access.row(child, signal)
  }

  /** Attaches the files that a fork shares to the new session, before the fork exists. */
  async #holdFiles(
    session: SessionId,
    upto: number,
    child: SessionId,
    signal: AbortSignal | undefined,
  ): AsyncResult<void> {
    const store = this.#runtime.generation().scope.find(AssetStore)
    const entries = store ? await this.#access.entries(session, 0, signal) : ok([])
    if (!entries.ok) return entries
    const files = entries.value.flatMap((entry) =>
      entry.kind === 'user_message' && entry.seq <= upto ? (entry.assets ?? []) : [],
    )
    if (!store || files.length === 0) return ok(undefined)
    const { tenant, principal } = this.#access
    return callStore(
      this.#runtime.settings.storeMs,
      (storeSignal) => store.of(tenant).hold(files, { principal, session: child }, storeSignal),
      signal,
    )
  }

  async totals(signal?: AbortSignal): AsyncResult<SessionTotals> {
    return this.#access.callStore(signal, (store, storeSignal) =>
      store.totals(this.#access.tenant, this.#access.listedPrincipal, storeSignal),
    )
  }

  async open(
    { title = '', tags, meta = {}, headers, key }: Parameters<AgentClient['open']>[0] = {},
    signal?: AbortSignal,
  ): AsyncResult<SessionRow> {
    // Differs from the session that a message with this key would begin.
    const keyed = key === undefined ? {} : { key: JSON.stringify(['open', key]) }
    const draft = await this.#sender.draft({ text: title, ...defined({ headers }), ...keyed })
    if (!draft.ok) return draft
    const { session, meta: own } = draft.value
    const request =
      key === undefined ? undefined : sha256(JSON.stringify([title, tags ?? [], meta]))
    const create = defined({
      principal: this.#access.principal,
      title: clean(title === '' ? draft.value.title : title),
      meta: JSON.stringify(clean({ ...meta, ...own })),
      tags: clean(tags),
      request,
    })
    const created = await this.#access.callStore(signal, (store, storeSignal) =>
      store.create(this.#access.ref(session), create, storeSignal),
    )
    if (!created.ok) return created
    if (created.value.request !== request)
      return err(failure('MESSAGE_CONFLICT', 'this key belongs to another session'))
    if (created.value.isNew) this.#access.announce('session_created', session)
    return this.#access.row(session, signal)
  }

  async waiting(signal?: AbortSignal): AsyncResult<number> {
    return this.#access.callStore(signal, (store, storeSignal) =>
      store.waiting(this.#access.tenant, this.#access.listedPrincipal, storeSignal),
    )
  }

  async sessions(page: Page, signal?: AbortSignal): ReturnType<AgentClient['sessions']> {
    // Sessions of sub-agents are not listed.
    const { subagents: _none, kinds = LISTED_KINDS, ...filters } = page
    const filter = { ...filters, kinds }
    const { listedPrincipal: principal } = this.#access
    const visible = principal === undefined ? filter : { ...filter, principal }
    const listed = await this.#access.callStore(signal, (store, storeSignal) =>
      store.list(this.#access.tenant, visible, storeSignal),
    )
    return listed.ok
      ? ok({ ...listed.value, rows: listed.value.rows.map((row) => this.#shown(row)) })
      : listed
  }

  async session(
    session: SessionId,
    signal?: AbortSignal,
    after = 0,
    upto?: number,
  ): AsyncResult<SessionView> {
    const row = await this.#access.row(session, signal)
    if (!row.ok) return row
    const entries = await this.#access.entries(session, after, signal, upto)
    if (!entries.ok) return entries
    const state = stateOf(row.value)
    const outgoing = this.#runtime.generation().scope.find(OutputRedactor)
    return ok({
      row: this.#shown(row.value),
      state: state.kind === 'run' ? state.state.kind : 'idle',
      asks: openAsks(state),
      unknown: unknownEffects(entries.value)
        .filter(({ settled }) => !settled)
        .map((effect) => ({
          call: effect.outcome.call,
          name: effect.outcome.name,
          at: effect.outcome.at,
          retry: noRetry(effect) === undefined,
          key: effectKeyOf(effect.outcome.run, effect.outcome.call),
          ...(effect.intent && { args: effect.intent.args }),
        })),
      entries: entries.value.map(({ sealed: _sealed, ...unsealed }) => {
        const entry = publicOf(unsealed)
        return outgoing ? outgoing.entry(entry) : entry
      }),
    })
  }

  /** The message of an error may contain values that must be redacted. */
  #shown(row: SessionRow): SessionRow {
    const outgoing =
      row.lastEnd?.message === undefined
        ? undefined
        : this.#runtime.generation().scope.find(OutputRedactor)
    return outgoing && row.lastEnd?.message !== undefined
      ? { ...row, lastEnd: { ...row.lastEnd, message: outgoing.text(row.lastEnd.message) } }
      : row
  }

  async update(
    session: SessionId,
    change: SessionEdit,
    signal?: AbortSignal,
  ): AsyncResult<SessionRow> {
    const barred = await this.#access.accessFailure(session, signal)
    if (barred) return err(barred)
    const { meta, ...rest } = clean(change)
    const done = await this.#access.callStore(signal, (store, storeSignal) =>
      store.update(
        this.#access.ref(session),
        { ...rest, ...(meta ? { meta: JSON.stringify(meta) } : {}) },
        storeSignal,
      ),
    )
    if (!done.ok) return done
    const row = done.value ? await this.#access.row(session, signal) : err(unknownSession())
    if (row.ok && !isSubagentSession(row.value))
      this.#access.announce('session_updated', session, row.value)
    return row
  }

  async remove(session: SessionId, signal?: AbortSignal): AsyncResult<void> {
    const row = await this.#access.row(session, signal)
    if (!row.ok) return row
    const entries = await this.#access.entries(session, row.value.forkedAt ?? 0, signal)
    const removed = await this.#access.callStore(signal, (store, storeSignal) =>
      store.remove(this.#access.ref(session), storeSignal),
    )
    if (!removed.ok) return removed
    if (!removed.value)
      return err(
        failure(
          'RUN_ACTIVE',
          'the session has a run in progress, or a fork that needs its history',
        ),
      )
    this.#runtime.ownedSessions.dropResident(this.#access.ref(session))
    if (!isSubagentSession(row.value))
      this.#runtime.announce(
        { type: 'session_deleted', sessionId: session },
        { tenant: this.#access.tenant, principal: principalId(row.value.principal) },
      )
    const { close } = this.#runtime.hooks().session
    if (close.tapped)
      void close.call(
        { tenant: this.#access.tenant, session, principal: this.#access.principal },
        'removed',
      )
    for (const entry of entries.ok ? entries.value : [])
      if (entry.kind === 'child_opened') await this.remove(entry.child, signal)
    return ok(undefined)
  }
}
