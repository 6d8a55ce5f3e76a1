import type { SessionRef, TenantId } from '@amodal/kernel'

/**
 * The purpose of a session; it determines how long its history is kept. Sessions of kind `admin`
 * work on the agent's own files; lists contain them only if that kind is requested.
 */
export const SESSION_KINDS = ['chat', 'automation', 'agent-run', 'admin'] as const
export type SessionKind = (typeof SESSION_KINDS)[number]

/** Kinds of which sessions are listed and counted where no kind is named. */
export const LISTED_KINDS: readonly SessionKind[] = ['chat', 'automation', 'agent-run']

/** How long sessions of one kind are kept, in ms; `undefined`: for ever. */
export interface KeepTime {
  /** Without a message, until a session is idle. */
  readonly idleMs: number | undefined
  /** Of being idle, until its history is deleted. */
  readonly expireMs: number | undefined
}

export type KeepTimes = Readonly<Record<SessionKind, KeepTime>>

/** How long sessions are kept: by kind, with overrides by kind for individual tenants. */
export interface Retention {
  readonly kinds: KeepTimes
  readonly tenants: ReadonlyMap<TenantId, KeepTimes>
}

/** An idle session whose time is over, as it was when it was read. */
export interface OverdueSession extends SessionRef {
  readonly head: number
}

/**
 * The same retention for sessions of all kinds and tenants.
 *
 * @param ms until a session is idle, and also from then until it expires
 * @example
 * import { keepAll } from '@amodal/sdk/loop'
 *
 * const retention = keepAll(3_600_000)
 * // → retention.kinds.chat is { idleMs: 3_600_000, expireMs: 3_600_000 }
 */
export function keepAll(ms: number): Retention {
  const time: KeepTime = { idleMs: ms, expireMs: ms }
  const kinds = { chat: time, automation: time, 'agent-run': time, admin: time }
  return { kinds, tenants: new Map() }
}

/** What holds for a session of this kind in this tenant. */
export const keepTimeOf = (
  { kinds, tenants }: Retention,
  tenant: TenantId,
  kind: SessionKind,
): KeepTime => (tenants.get(tenant) ?? kinds)[kind]
