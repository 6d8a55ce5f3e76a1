declare const TYPE: unique symbol

export type ScopeKind = 'kernel' | 'session' | 'run'

/** Names a service that exactly one plugin provides: *who does it*. */
export interface Slot<T, S extends ScopeKind = ScopeKind> {
  readonly kind: 'slot'
  readonly id: string
  readonly scope: S
  /**
   * The version of its interface. Provider and consumer may come from two copies of a package: a
   * plan in which their versions differ is refused.
   */
  readonly protocol: number
  /** Registered globally, so that two copies of the SDK agree. */
  readonly key: symbol
  /** Carries the type; never present at run time. */
  readonly [TYPE]?: T
}

/** Names a list of keyed entries that many plugins fill: *which ones exist*. */
export interface Registry<T> {
  readonly kind: 'registry'
  readonly id: string
  readonly key: symbol
  readonly [TYPE]?: T
}

export type Token = Slot<unknown> | Registry<unknown>

export const isSlot = (token: Token): token is Slot<unknown> => token.kind === 'slot'

function makeSlot<T, S extends ScopeKind>(id: string, scope: S, protocol: number): Slot<T, S> {
  return Object.freeze({ kind: 'slot', id, scope, protocol, key: Symbol.for(`amodal.slot/${id}`) })
}

/**
 * Makes a slot token of a scope.
 *
 * @example
 * export interface Mailer { send(to: string, text: string, signal: AbortSignal): Promise<void> }
 * export const Mailer = slot.kernel<Mailer>('mailer')
 * @param protocol raised with a change of the interface that breaks providers or consumers
 */
export const slot = {
  kernel: <T>(id: string, protocol = 1): Slot<T, 'kernel'> => makeSlot(id, 'kernel', protocol),
  session: <T>(id: string, protocol = 1): Slot<T, 'session'> => makeSlot(id, 'session', protocol),
  run: <T>(id: string, protocol = 1): Slot<T, 'run'> => makeSlot(id, 'run', protocol),
} as const

/** Makes a registry token. */
export function registry<T>(id: string): Registry<T> {
  return Object.freeze({ kind: 'registry', id, key: Symbol.for(`amodal.registry/${id}`) })
}
