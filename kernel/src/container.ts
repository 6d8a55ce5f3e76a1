// Its main entry loads a glob matcher with sixty files, for finding modules by pattern.
import { asFunction, createContainer, type AwilixContainer } from 'awilix/browser'
import { blame, undoAll, type Teardown, type Undo } from './blame.ts'
import { PluginError, type Code } from './errors.ts'
import { messageOf } from './result.ts'
import type { ScopeKind, Slot } from './token.ts'

/** A value that is put into a scope when it is created, such as the facts of a session. */
export type Seed<T = unknown> = readonly [slot: Slot<T>, value: T]
/** Seeds whose values are checked against their slots. */
export type Seeds<T extends readonly unknown[]> = {
  readonly [I in keyof T]: readonly [slot: Slot<T[I]>, value: NoInfer<T[I]>]
}

/**
 * The scope of services: kernel ⊃ session ⊃ run. Cheap to create; a service is built at its first
 * lookup.
 */
export interface Scope {
  readonly kind: ScopeKind
  /**
   * Throws {@link ScopeError}: `MISSING_PROVIDER`, `SCOPE_LEAK`, `CYCLE`; or the `PluginError` of a
   * factory.
   */
  get<T>(slot: Slot<T>): T
  /** Like `get`, but returns `undefined` where no plugin provides the slot. */
  find<T>(slot: Slot<T>): T | undefined
  has(slot: Slot<unknown>): boolean
  child<const T extends readonly unknown[]>(kind: 'session' | 'run', seeds?: Seeds<T>): Scope
  /** Registers a teardown; teardowns run in reverse order when this scope closes. */
  onClose(undo: Teardown): void
  /** Closes this scope and its children. Errors of teardowns are returned, never thrown. */
  close(): Promise<readonly PluginError[]>
}

export class ScopeError extends Error {
  override readonly name = 'ScopeError'
  readonly code: Code

  constructor(code: Code, message: string) {
    super(message)
    this.code = code
  }
}

/** How a slot is filled in one generation. */
export interface Binding {
  readonly slot: Slot<unknown>
  readonly owner: string
  readonly make: (scope: Scope) => unknown
}

const RANK: Readonly<Record<ScopeKind, number>> = { kernel: 0, session: 1, run: 2 }

/**
 * A scope on top of awilix, which caches its services and detects services that depend on each
 * other.
 */
export class ServiceScope implements Scope {
  readonly kind: ScopeKind
  readonly #bindings: ReadonlyMap<symbol, Binding>
  readonly #seeds: ReadonlyMap<symbol, unknown>
  readonly #parent: ServiceScope | undefined
  readonly #undos: Undo[] = []
  /**
   * Child scopes that have teardowns. A child without any is not referenced, so that it can be
   * garbage-collected without being closed.
   */
  readonly #below = new Set<ServiceScope>()
  #services: AwilixContainer | undefined
  /** The plugin whose factory runs now. */
  #making: string | undefined
  #closed = false

  constructor(
    kind: ScopeKind,
    bindings: ReadonlyMap<symbol, Binding>,
    seeds: readonly Seed[],
    parent?: ServiceScope,
  ) {
    this.kind = kind
    this.#bindings = bindings
    this.#seeds = new Map(seeds.map(([slot, value]) => [slot.key, value]))
    this.#parent = parent
  }

  get<T>(slot: Slot<T>): T {
    const home = this.#homeOf(slot)
    // Seeds are typed by their slots where they are handed in.
    return home.#seeds.has(slot.key) ? (home.#seeds.get(slot.key) as T) : home.#resolve(slot)
  }

  find<T>(slot: Slot<T>): T | undefined {
    return this.has(slot) ? this.get(slot) : undefined
  }

  has(slot: Slot<unknown>): boolean {
    return this.#homeOf(slot).#seeds.has(slot.key) || this.#bindings.has(slot.key)
  }

  child<const T extends readonly unknown[]>(kind: 'session' | 'run', seeds?: Seeds<T>): Scope {
    if (RANK[kind] <= RANK[this.kind])
      throw new ScopeError('SCOPE_LEAK', `a ${kind} scope cannot begin inside a ${this.kind} scope`)
    return new ServiceScope(kind, this.#bindings, seeds ?? [], this)
  }

  onClose(undo: Teardown): void {
    this.#undos.push({ plugin: this.#making ?? 'kernel', where: `${this.kind} scope`, undo })
    this.#join()
  }

  #join(): void {
    if (!this.#parent) return
    this.#parent.#below.add(this)
    this.#parent.#join()
  }

  async close(): Promise<readonly PluginError[]> {
    const errors = [...(await this.closeBelow())]
    // A teardown may still use services that were created before it.
    errors.push(...(await undoAll(this.#undos)))
    this.#closed = true
    if (this.#parent) this.#parent.#below.delete(this)
    return errors
  }

  /** Closes the scopes in this one, the newest first. */
  async closeBelow(): Promise<readonly PluginError[]> {
    const errors: PluginError[] = []
    for (const scope of [...this.#below].reverse()) errors.push(...(await scope.close()))
    return errors
  }

  /**
   * Finds the scope that owns a slot: awilix would build the service of a session a second time in
   * a run.
   */
  #homeOf(slot: Slot<unknown>): ServiceScope {
    if (this.kind === slot.scope) return this
    if (this.#parent && RANK[slot.scope] < RANK[this.kind]) return this.#parent.#homeOf(slot)
    throw new ScopeError(
      'SCOPE_LEAK',
      `scope leak: "${slot.id}" lives per ${slot.scope}, but was requested from the ${this.kind} scope`,
    )
  }

  #resolve<T>({ id, key }: Slot<T>): T {
    const binding = this.#bindings.get(key)
    if (!binding) throw new ScopeError('MISSING_PROVIDER', `nothing provides "${id}"`)
    if (this.#closed)
      throw new ScopeError(
        'KERNEL_CLOSED',
        `"${id}" was requested from a ${this.kind} scope that is closed`,
      )
    const services = this.#container()
    if (!services.hasRegistration(key))
      services.register(key, asFunction(() => this.#make(binding)).scoped())
    try {
      return services.resolve<T>(key)
    } catch (cause) {
      if (PluginError.is(cause) || cause instanceof ScopeError) throw cause
      throw new ScopeError(
        'CYCLE',
        messageOf(cause).replaceAll(/Symbol\(amodal\.slot\/([^)]+)\)/g, '$1'),
      )
    }
  }

  #container(): AwilixContainer {
    this.#services ??= this.#parent
      ? this.#parent.#container().createScope()
      : createContainer({ strict: true })
    return this.#services
  }

  #make({ owner, slot, make }: Binding): unknown {
    const outer = this.#making
    this.#making = owner
    try {
      return make(this)
    } catch (cause) {
      throw blame(owner, 'provide', slot.id, cause)
    } finally {
      this.#making = outer
    }
  }
}
