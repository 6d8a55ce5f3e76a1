import { sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

interface Named {
  readonly name: string
}

const NOW = sql<Date>`clock_timestamp()`
const IS_LIVE = sql<boolean>`(expires_at is null or expires_at > clock_timestamp())`
const inSeconds = (seconds: number | null) =>
  sql<Date | null>`clock_timestamp() + make_interval(secs => ${seconds}::double precision)`

export const READ = statement(({ name }: Named) =>
  db
    .selectFrom('connect_mcp_secret')
    .select(['version', 'sealed'])
    .where('tenant', '=', '')
    .where('name', '=', name)
    .where(IS_LIVE),
)

interface Put extends Named {
  readonly sealed: string
  /** `null`: for ever. */
  readonly seconds: number | null
}

export const PUT = statement(({ name, sealed, seconds }: Put) =>
  db
    .insertInto('connect_mcp_secret')
    .values({ tenant: '', name, version: 1, sealed, expires_at: inSeconds(seconds) })
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'name']).doUpdateSet((eb) => ({
        version: sql<number>`connect_mcp_secret.version + 1`,
        sealed: eb.ref('excluded.sealed'),
        expires_at: eb.ref('excluded.expires_at'),
        held_until: null,
      })),
    )
    .returning('version'),
)

interface Replace extends Named {
  readonly sealed: string
  readonly version: number
}

export const REPLACE = statement(({ name, sealed, version }: Replace) =>
  db
    .updateTable('connect_mcp_secret')
    .set({ version: sql<number>`version + 1`, sealed, held_until: null })
    .where('tenant', '=', '')
    .where('name', '=', name)
    .where('version', '=', version)
    .returning('version'),
)

interface Hold extends Named {
  readonly version: number
  readonly seconds: number
}

export const HOLD = statement(({ name, version, seconds }: Hold) =>
  db
    .updateTable('connect_mcp_secret')
    .set({ held_until: inSeconds(seconds) })
    .where('tenant', '=', '')
    .where('name', '=', name)
    .where('version', '=', version)
    .where((eb) => eb.or([eb('held_until', 'is', null), eb('held_until', '<=', NOW)]))
    .returning('version'),
)

export const RELEASE = statement(({ name, version }: Named & { readonly version: number }) =>
  db
    .updateTable('connect_mcp_secret')
    .set({ held_until: null })
    .where('tenant', '=', '')
    .where('name', '=', name)
    .where('version', '=', version),
)

export const TAKE = statement(({ name }: Named) =>
  db
    .deleteFrom('connect_mcp_secret')
    .where('tenant', '=', '')
    .where('name', '=', name)
    .returning(['version', 'sealed', IS_LIVE.as('live')]),
)

/** Logins that nobody has come back from. */
export const PRUNE = statement(() =>
  db.deleteFrom('connect_mcp_secret').where('expires_at', '<=', NOW),
)
