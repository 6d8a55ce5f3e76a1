import { randomUUID } from 'node:crypto'
import {
  instanceId,
  sessionId,
  tenantId,
  type Commit,
  type CommitVerdict,
  type Failure,
  type InstanceId,
  type SessionRef,
  type Result,
} from '@amodal/kernel'
import type { Accept, SessionRecord, SessionStore } from '../../ports/session-store.ts'

/**
 * A store as two instances have it: two stores on the same data, or twice the same one where it
 * lives in one process.
 */
export interface SessionStoreUnderTest {
  readonly store: SessionStore
  readonly peer: SessionStore
  readonly close: () => Promise<void>
}

export const HERE = instanceId('here')
export const THERE = instanceId('there')
export const TENANT = tenantId('acme')
/** Longer than any test takes. */
export const LEASE = 60_000
export const signal = new AbortController().signal

export const newSession = (): SessionRef => ({
  tenant: TENANT,
  session: sessionId(`s_${randomUUID()}`),
})
export const newKey = (): string => randomUUID()

/** The value, or a throw with the message of the failure. */
export function value<T>(result: Result<T, Failure>): T {
  if (!result.ok)
    throw new Error(`${result.error.code}: ${result.error.message}`, { cause: result.error })
  return result.value
}

/** A message that makes its session where there is none. */
export function message(ref: SessionRef, more: Partial<Accept> = {}): Accept {
  return {
    ...ref,
    key: newKey(),
    body: '{"kind":"message","text":"hello"}',
    control: false,
    owner: HERE,
    leaseMs: LEASE,
    create: { principal: 'ann', title: 'Hello', meta: '{"app":"test"}' },
    ...more,
  }
}

/** An answer or a cancel: it never makes a session. */
export function control(ref: SessionRef, more: Partial<Accept> = {}): Accept {
  const { create: _, ...item } = message(ref, { body: '{"kind":"cancel"}', control: true, ...more })
  return item
}

/** A commit on top of the session that writes these bodies and keeps the session. */
export function commit(
  sessionRecord: SessionRecord,
  bodies: readonly string[],
  more: Partial<Commit> = {},
): Commit {
  const { tenant, session, fencingToken, head } = sessionRecord
  return {
    tenant,
    session,
    fencingToken,
    base: head,
    key: newKey(),
    state: '{"v":1,"kind":"idle"}',
    entries: bodies.map((body) => ({ body })),
    acknowledged: { messages: [], controls: [] },
    erase: [],
    end: 'hold',
    leaseMs: LEASE,
    progress: true,
    add: { messages: 0, input: 0, output: 0 },
    ...more,
  }
}

export interface Claimed {
  readonly sessionRecord: SessionRecord
  readonly key: string
}

/** A new session that `owner` has claimed with a first message. */
export async function claimed(
  store: SessionStore,
  ref: SessionRef = newSession(),
  owner: InstanceId = HERE,
  leaseMs = LEASE,
): Promise<Claimed> {
  const item = message(ref, { owner, leaseMs })
  const accepted = value(await store.accept(item, signal))
  if (!accepted.claimed || !accepted.sessionRecord)
    throw new Error('the first message did not claim its new session')
  return { sessionRecord: accepted.sessionRecord, key: item.key }
}

/** A session without an owner, with these entries. */
export async function finished(
  store: SessionStore,
  bodies: readonly string[],
  ref: SessionRef = newSession(),
  more: Partial<Commit> = {},
): Promise<SessionRecord> {
  const { sessionRecord, key } = await claimed(store, ref)
  const done = value(
    await store.commit(
      commit(sessionRecord, bodies, {
        acknowledged: { messages: [key], controls: [] },
        end: 'end',
        ...more,
      }),
      signal,
    ),
  )
  if (done.verdict !== 'ok') throw new Error(`the commit was ${done.verdict}`)
  return sessionRecordOf(store, ref)
}

/** A session whose run waits for a person. */
export const parked = (
  store: SessionStore,
  ref: SessionRef = newSession(),
): Promise<SessionRecord> => finished(store, ['asked'], ref, { end: 'park' })

export async function sessionRecordOf(
  store: SessionStore,
  ref: SessionRef,
): Promise<SessionRecord> {
  const sessionRecord = value(await store.sessionRecord(ref, signal))
  if (!sessionRecord) throw new Error(`no session of ${ref.session}`)
  return sessionRecord
}

export async function bodiesOf(
  store: SessionStore,
  ref: SessionRef,
  after = 0,
): Promise<readonly string[]> {
  return value(await store.entries(ref, { after }, signal)).map(({ body }) => body)
}

/** The verdict in full, where it was written. */
export function written(
  result: Result<CommitVerdict, Failure>,
): Extract<CommitVerdict, { verdict: 'ok' }> {
  const verdict = value(result)
  if (verdict.verdict !== 'ok') throw new Error(`the commit was ${verdict.verdict}`)
  return verdict
}
