import {
  err,
  failure,
  ok,
  type Failure,
  type Result,
  type ScopeSecrets,
  type Secrets,
  type TenantId,
} from '@amodal/sdk'

/** References by tenant and name: `{ "acme": { "CRM_TOKEN": "env:ACME_CRM" } }`. */
export type Scopes = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Secrets of tenants, from the plugin's config or from variables `AMODAL_SCOPE_<TENANT>__<NAME>`.
 * Two underscores stand between, and only tenants of small letters, digits and single hyphens have
 * variables: so no two tenants share one.
 */
export function scopeSecrets(secrets: Secrets, scopes: Scopes): ScopeSecrets {
  return {
    resolve(tenant: TenantId, name: string): Result<string, Failure> {
      const given = Object.hasOwn(scopes, tenant) ? scopes[tenant] : undefined
      const reference = given && Object.hasOwn(given, name) ? given[name] : undefined
      if (reference !== undefined)
        return secrets.resolve(reference, `scope:${name} of the tenant "${tenant}"`)
      const variable = variableOf(tenant, name)
      if (variable === undefined)
        return err(
          failure(
            'ENV_NOT_SET',
            `scope:${name} is not set for the tenant "${tenant}": its id has no variable, so name it in \`scopes\` of the plugin connections`,
          ),
        )
      const found = secrets.resolve(`env:${variable}`, `scope:${name}`)
      return found.ok
        ? ok(found.value)
        : err(
            failure(
              'ENV_NOT_SET',
              `scope:${name} is not set for the tenant "${tenant}" (${variable})`,
            ),
          )
    },
  }
}

function variableOf(tenant: string, name: string): string | undefined {
  if (
    !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(tenant) ||
    !/^[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*$/.test(name)
  )
    return undefined
  return `AMODAL_SCOPE_${tenant.toUpperCase().replaceAll('-', '_')}__${name}`
}
