import type { Commit, SharedChange, SharedValue, TenantId } from '@amodal/sdk'

/** Values that all sessions of a tenant share, each with its version. */
export class SharedValues {
  readonly #byTenant = new Map<TenantId, Map<string, SharedValue>>()

  of(tenant: TenantId): readonly SharedValue[] {
    return [...(this.#byTenant.get(tenant)?.values() ?? [])]
  }

  /**
   * Applies the changes of a commit: all of them, or none if one is based on another version.
   *
   * @returns whether they were applied
   */
  apply({ tenant, shared = [] }: Pick<Commit, 'tenant' | 'shared'>): boolean {
    const values = this.#byTenant.get(tenant) ?? new Map<string, SharedValue>()
    const isCurrent = ({ name, base }: SharedChange): boolean =>
      (values.get(name)?.version ?? 0) === base
    if (!shared.every(isCurrent)) return false
    for (const { name, base, value } of shared) values.set(name, { name, version: base + 1, value })
    if (shared.length > 0) this.#byTenant.set(tenant, values)
    return true
  }
}
