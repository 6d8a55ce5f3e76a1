import {
  err,
  failure,
  ok,
  type Credential,
  type Failure,
  type Result,
  type ScopeSecrets,
  type Secrets,
  type TenantId,
} from '@amodal/sdk'

export interface Credentials {
  /** The value behind a text of `spec.json`, for one tenant. */
  resolve(text: Credential, where: string, tenant: TenantId): Result<string, Failure>
  /** An address, which is no secret. */
  address(text: Credential, where: string): Result<string, Failure>
}

export function credentialsFrom(secrets: Secrets, scopes: ScopeSecrets | undefined): Credentials {
  return {
    resolve(text, where, tenant) {
      if (!text.startsWith('scope:')) return secrets.resolve(text, where)
      return (
        scopes?.resolve(tenant, text.slice('scope:'.length)) ??
        err(
          failure(
            'ENV_NOT_SET',
            `${text} of ${where} cannot be resolved: nothing provides secrets of tenants`,
          ),
        )
      )
    },
    address(text, where) {
      if (!text.startsWith('env:')) return ok(text)
      const value = secrets.get(text.slice('env:'.length))
      return value === undefined || value === ''
        ? err(failure('ENV_NOT_SET', `${text.slice(4)} is not set, and ${where} needs it`))
        : ok(value.replace(/\/+$/, ''))
    },
  }
}
