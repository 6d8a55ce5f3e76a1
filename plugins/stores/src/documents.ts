import {
  hooksOf,
  ok,
  RoleView,
  seenBy,
  sessionId,
  SessionFacts,
  SHARED_TENANT,
  StoreBackend,
  SYSTEM,
  type AgentBundle,
  type Caller,
  type Failure,
  type Generation,
  type Result,
  type Scope,
  type StoreDefinition,
  type TenantId,
  type ToolContext,
} from '@amodal/sdk'
import { EVERY_ROLE } from '@amodal/sdk/loop'
import type { Seeds } from './seed.ts'

/**
 * Who may write into stores that all tenants share: nobody, everybody, or those with one of these
 * roles.
 */
export type SharedWrites = 'nobody' | 'everybody' | readonly string[]

/**
 * Opens the documents of a store: those of a tenant, or of all of them where the store is shared.
 */
export class Documents {
  readonly #generation: () => Generation
  readonly #seeds: Seeds
  readonly #sharedWrites: SharedWrites

  constructor(generation: () => Generation, seeds: Seeds, sharedWrites: SharedWrites) {
    this.#generation = generation
    this.#seeds = seeds
    this.#sharedWrites = sharedWrites
  }

  /** Whether any principal may write it. */
  isWritable(store: StoreDefinition): boolean {
    return (
      store.shared !== true ||
      this.#sharedWrites === 'everybody' ||
      (this.#sharedWrites !== 'nobody' && this.#sharedWrites.length > 0)
    )
  }

  mayWrite(store: StoreDefinition, roles: readonly string[]): boolean {
    const allowed = this.#sharedWrites
    return (
      this.isWritable(store) &&
      (store.shared !== true ||
        typeof allowed === 'string' ||
        roles.includes(EVERY_ROLE) ||
        allowed.some((role) => roles.includes(role)))
    )
  }

  /** Whether these roles may use a tool. */
  mayUse(tool: string, bundle: AgentBundle, roles: readonly string[]): boolean {
    const { scope } = this.#generation()
    return this.allows(tool, seenBy(bundle, roles, scope))
  }

  /** The same for a bundle that was made for some roles. */
  allows(tool: string, bundle: AgentBundle): boolean {
    return this.#generation().scope.find(RoleView)?.allows(tool, bundle) ?? true
  }

  /**
   * The key of a write; in a shared store it includes the tenant, so that tenants do not collide.
   */
  callKey(store: StoreDefinition, tenant: TenantId, key: string): string {
    return store.shared === true ? `${tenant}:${key}` : key
  }

  /** Emits the event that documents have changed. */
  changed(
    store: StoreDefinition,
    tenant: TenantId,
    operation: 'put' | 'delete' | 'batch',
    count: number,
  ): void {
    if (count > 0)
      hooksOf(this.#generation()).event.runtime.call(
        { type: 'store_updated', storeName: store.name, operation, count },
        { tenant: store.shared === true ? SHARED_TENANT : tenant },
      )
  }

  /** Does the work of a tool call. */
  inCall<T>(
    store: StoreDefinition,
    { scope, tenant }: ToolContext,
    work: (backend: StoreBackend) => Promise<T>,
  ): Promise<Result<T, Failure>> {
    return store.shared === true
      ? this.#inScope(SHARED_TENANT, store, work)
      : this.#ready(scope, store, tenant, work)
  }

  /** Does the work of a request. */
  inRequest<T>(
    store: StoreDefinition,
    { tenant }: Pick<Caller, 'tenant'>,
    work: (backend: StoreBackend) => Promise<T>,
  ): Promise<Result<T, Failure>> {
    return this.#inScope(store.shared === true ? SHARED_TENANT : tenant, store, work)
  }

  async #inScope<T>(
    tenant: TenantId,
    store: StoreDefinition,
    work: (backend: StoreBackend) => Promise<T>,
  ): Promise<Result<T, Failure>> {
    const scope = this.#generation().scope.child('session', [
      [SessionFacts, { tenant, session: sessionId('stores'), principal: SYSTEM }],
    ])
    try {
      return await this.#ready(scope, store, tenant, work)
    } finally {
      await scope.close()
    }
  }

  async #ready<T>(
    scope: Pick<Scope, 'get'>,
    store: StoreDefinition,
    tenant: TenantId,
    work: (backend: StoreBackend) => Promise<T>,
  ): Promise<Result<T, Failure>> {
    const backend = scope.get(StoreBackend)
    const ready = await this.#seeds.ensure(backend, store, tenant)
    return ready.ok ? ok(await work(backend)) : ready
  }
}
