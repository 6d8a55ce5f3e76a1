import { asFunction, asValue, createContainer, InjectionMode, Lifetime, type AwilixContainer } from 'awilix'
import { blame } from './blame.ts'
import { PluginError, type Code } from './errors.ts'
import { messageOf } from './result.ts'
import { undoAll, type Undo } from './teardown.ts'
import type { Teardown } from './plugin.ts'
import type { ScopeKind, Slot } from './token.ts'

/** A value put into a scope where it begins, such as the facts of a session. */
export type Seed<T = unknown> = readonly [slot: Slot<T>, value: T]
/** Seeds whose values are checked against their slots. */
export type Seeds<T extends readonly unknown[]> = { readonly [I in keyof T]: readonly [slot: Slot<T[I]>, value: NoInfer<T[I]>] }

/** Where services live: kernel ⊃ session ⊃ run. Cheap to make; a service is built when it is first asked for. */
export interface Scope {
  readonly kind: ScopeKind
  /** Throws {@link ScopeError}: `MISSING_PROVIDER`, `SCOPE_LEAK`, `CYCLE`; or the `PluginError` of a factory. */
  get<T>(slot: Slot<T>): T
  /** As `get`, but `undefined` where nobody provides it. */
  find<T>(slot: Slot<T>): T | undefined
  has(slot: Slot<unknown>): boolean
  child<const T extends readonly unknown[]>(kind: 'session' | 'run', seeds?: Seeds<T>): Scope
  /** Undone last made first, when this scope closes. */
  onClose(undo: Teardown): void
  /** Closes what was made here and below. The errors of undoing are returned, never thrown. */
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
  make(scope: Scope): unknown
}

const RANK: Readonly<Record<ScopeKind, number>> = { kernel: 0, session: 1, run: 2 }
/** The scope that a factory is called for, inside awilix. */
const SELF = Symbol('scope')

interface Cradle { readonly [SELF]: ScopeNode }

/** The bindings of a generation and its kernel scope. A new one per generation: awilix cannot unregister. */
export class Container {
  readonly bindings = new Map<symbol, Binding>()
  readonly root: Scope
  readonly #awilix = createContainer<Cradle>({ injectionMode: InjectionMode.PROXY, strict: true })

  constructor(seeds: readonly Seed[]) {
    this.root = new ScopeNode('kernel', this.bindings, undefined, seeds, () => this.#awilix)
  }

  bind(binding: Binding): void {
    const { slot } = binding
    this.bindings.set(slot.key, binding)
    const lifetime = slot.scope === 'kernel' ? Lifetime.SINGLETON : Lifetime.SCOPED
    this.#awilix.register(slot.key, asFunction((cradle: Cradle) => cradle[SELF].make(binding), { lifetime }))
  }
}

class ScopeNode implements Scope {
  readonly kind: ScopeKind
  readonly #bindings: ReadonlyMap<symbol, Binding>
  readonly #parent: ScopeNode | undefined
  readonly #seeds: readonly Seed[]
  readonly #open: () => AwilixContainer<Cradle>
  #awilix: AwilixContainer<Cradle> | undefined
  /** Undos of this scope, and the scopes below that have some. Made when first needed. */
  #undos: Undo[] | undefined
  #below: Set<ScopeNode> | undefined
  #making: string | undefined
  #closed = false

  constructor(kind: ScopeKind, bindings: ReadonlyMap<symbol, Binding>, parent: ScopeNode | undefined, seeds: readonly Seed[], open: () => AwilixContainer<Cradle>) {
    this.kind = kind
    this.#bindings = bindings
    this.#parent = parent
    this.#seeds = seeds
    this.#open = open
  }

  get<T>(slot: Slot<T>): T {
    const home = this.#homeOf(slot)
    const seed = home.#seedOf(slot)
    if (seed) return seed[1]
    if (!home.#bindings.has(slot.key)) throw new ScopeError('MISSING_PROVIDER', `nothing provides "${slot.id}"`)
    return home.#resolve(slot)
  }

  find<T>(slot: Slot<T>): T | undefined {
    return this.has(slot) ? this.get(slot) : undefined
  }

  has(slot: Slot<unknown>): boolean {
    return this.#homeOf(slot).#seedOf(slot) !== undefined || this.#bindings.has(slot.key)
  }

  child<const T extends readonly unknown[]>(kind: 'session' | 'run', seeds?: Seeds<T>): Scope {
    if (RANK[kind] <= RANK[this.kind]) throw new ScopeError('SCOPE_LEAK', `a ${kind} scope cannot begin inside a ${this.kind} scope`)
    return new ScopeNode(kind, this.#bindings, this, seeds ?? [], () => this.#container().createScope())
  }

  onClose(undo: Teardown): void {
    this.#undos ??= []
    this.#undos.push({ plugin: this.#making ?? 'kernel', where: `${this.kind} scope`, undo })
    this.#tellParent()
  }

  /** Only scopes with something to undo are remembered, so one that is dropped without closing leaks nothing. */
  #tellParent(): void {
    const parent = this.#parent
    if (!parent) return
    parent.#below ??= new Set()
    parent.#below.add(this)
    parent.#tellParent()
  }

  async close(): Promise<readonly PluginError[]> {
    const errors: PluginError[] = []
    for (const node of [...this.#below ?? []].reverse()) errors.push(...await node.close())
    // What is undone may still use what was made before it.
    while (this.#undos?.length) errors.push(...await undoAll(this.#undos.splice(0)))
    this.#closed = true
    if (this.#parent) this.#parent.#forget(this)
    return errors
  }

  #forget(below: ScopeNode): void {
    this.#below?.delete(below)
  }

  /** Called by awilix, once per scope and slot. */
  make(binding: Binding): unknown {
    const outer = this.#making
    this.#making = binding.owner
    try {
      return binding.make(this)
    } catch (cause) {
      throw blame(binding.owner, 'provide', binding.slot.id, cause)
    } finally {
      this.#making = outer
    }
  }

  /** awilix would build a session's service a second time in a run, so the scope it lives in is found first. */
  #homeOf(slot: Slot<unknown>): ScopeNode {
    if (this.kind === slot.scope) return this
    if (this.#parent && RANK[slot.scope] < RANK[this.kind]) return this.#parent.#homeOf(slot)
    throw new ScopeError('SCOPE_LEAK', `scope leak: "${slot.id}" lives per ${slot.scope}, but was asked for from the ${this.kind} scope`)
  }

  #seedOf<T>(slot: Slot<T>): Seed<T> | undefined {
    // Seeds are typed by their slots where they are handed in; equal keys are equal slots.
    return this.#seeds.find(([token]) => token.key === slot.key) as Seed<T> | undefined
  }

  #resolve<T>(slot: Slot<T>): T {
    if (this.#closed) throw new ScopeError('KERNEL_CLOSED', `"${slot.id}" was asked for from a ${this.kind} scope that is closed`)
    try {
      return this.#container().resolve<T>(slot.key)
    } catch (cause) {
      if (PluginError.is(cause) || cause instanceof ScopeError) throw cause
      throw new ScopeError('CYCLE', messageOf(cause).replaceAll(/Symbol\(amodal\.slot\/([^)]+)\)/g, '$1'))
    }
  }

  #container(): AwilixContainer<Cradle> {
    this.#awilix ??= this.#open().register({ [SELF]: asValue<ScopeNode>(this) })
    return this.#awilix
  }
}
