import { type AuditDraft, ok, type TenantId } from '@amodal/sdk'
import { type AuditLine, chained, EMPTY, type Head, once } from './line.ts'
import type { ChainStore, Range } from './store.ts'

/** Chains that live as long as this process. */
export class MemoryChains implements ChainStore {
  readonly #chains = new Map<TenantId, AuditLine[]>()
  readonly #keys = new Set<string>()

  async append(tenant: TenantId, drafts: readonly AuditDraft[]) {
    const chain = this.#chain(tenant)
    const fresh = once(drafts).filter(({ key }) => !this.#keys.has(`${tenant} ${key}`))
    const lines = chained(headOf(chain), fresh)
    for (const { key } of fresh) this.#keys.add(`${tenant} ${key}`)
    chain.push(...lines)
    return ok(lines)
  }

  async read(tenant: TenantId, { after = 0, session, limit }: Range) {
    return ok(
      this.#chain(tenant)
        .filter((line) => line.n > after && (session === undefined || line.session === session))
        .slice(0, limit),
    )
  }

  async head(tenant: TenantId) {
    return ok({ ...headOf(this.#chain(tenant)), seal: undefined })
  }

  async tenants() {
    return ok([...this.#chains.keys()])
  }

  #chain(tenant: TenantId): AuditLine[] {
    const chain = this.#chains.get(tenant) ?? []
    this.#chains.set(tenant, chain)
    return chain
  }
}

const headOf = (chain: readonly AuditLine[]): Head => chain.at(-1) ?? EMPTY
