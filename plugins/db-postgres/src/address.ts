import type { PoolOptions } from 'pg'
import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'

/** Where a database is, in words that may be shown: never with the user's password. */
export interface Address {
  readonly url: string
  /** `host:port/database`. */
  readonly shown: string
}

/**
 * Reads `postgres://user:password@host:port/database`. The failure does not repeat the text, which
 * may hold a password.
 */
export function parseAddress(url: string): Result<Address, Failure> {
  const parsed = URL.parse(url)
  if (!parsed || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    return err(
      failure(
        'BAD_CONFIG',
        'the address of the database is not of the form postgres://user:password@host:5432/database',
      ),
    )
  }
  const host = parsed.searchParams.get('host') ?? (parsed.hostname || 'localhost')
  const port = parsed.searchParams.get('port') ?? (parsed.port || '5432')
  return ok({ url, shown: `${host}:${port}${parsed.pathname === '/' ? '' : parsed.pathname}` })
}

/** Where the connections of a pool lead. */
export function addressOfPool({
  connectionString,
  host = 'localhost',
  port = 5432,
  database,
}: Pick<PoolOptions, 'connectionString' | 'host' | 'port' | 'database'>): Address {
  const parsed = connectionString === undefined ? undefined : parseAddress(connectionString)
  return parsed?.ok
    ? parsed.value
    : { url: '', shown: `${host}:${port}${database === undefined ? '' : `/${database}`}` }
}
