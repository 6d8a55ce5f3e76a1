import { sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

/** Adds a content, or locks the one that is there. */
export const ADD_CONTENT = statement(
  ({ asset, bytes, outside }: { asset: string; bytes: number; outside: boolean }) =>
    db
      .insertInto('assets_content')
      .values({ asset, bytes, outside })
      .onConflict((on) =>
        on.columns(['tenant', 'asset']).doUpdateSet((eb) => ({ bytes: eb.ref('excluded.bytes') })),
      )
      .returning(sql<boolean>`xmax = 0`.as('fresh')),
)

export const CONTENT = statement(({ asset }: { asset: string }) =>
  db.selectFrom('assets_content').select('outside').where('asset', '=', asset),
)

/** Before bytes are written outside: what no content names by then is removed. */
export const PLAN_REMOVAL = statement(
  ({ asset, delayMs }: { asset: string; delayMs: number }) => sql`
insert into assets_removal as r (asset, due_at) values (${asset}, clock_timestamp() + ${delayMs}::float8 * interval '1 ms')
on conflict (tenant, asset) do update set due_at = greatest(r.due_at, excluded.due_at)`,
)

export const CANCEL_REMOVAL = statement(({ asset }: { asset: string }) =>
  db.deleteFrom('assets_removal').where('asset', '=', asset).returning('asset'),
)

export const ADD_CHUNK = statement(
  ({ asset, n, data }: { asset: string; n: number; data: Uint8Array }) =>
    db.insertInto('assets_chunk').values({ asset, n, data }),
)

export const TOTAL = statement(() =>
  db.selectFrom('assets_content').select(sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes')),
)

/** Whoever changes who has a content holds its row, so that it does not go meanwhile. */
export const LOCK = statement(({ assets }: { assets: readonly string[] }) =>
  db
    .selectFrom('assets_content')
    .select('asset')
    .where(sql<boolean>`asset = any(${assets}::text[])`)
    .orderBy('asset')
    .forUpdate(),
)

interface ClaimValues {
  readonly asset: string
  readonly principal: string
  readonly mediaType: string
  readonly name: string | null
}
export const CLAIM = statement(({ asset, principal, mediaType, name }: ClaimValues) =>
  db
    .insertInto('assets_claim')
    .values({ asset, principal, media_type: mediaType, name })
    .onConflict((on) =>
      on.columns(['tenant', 'asset', 'principal']).doUpdateSet((eb) => ({
        media_type: eb.ref('excluded.media_type'),
        name: eb.ref('excluded.name'),
        used_at: sql<Date>`clock_timestamp()`,
      })),
    ),
)

const claims = () =>
  db
    .selectFrom('assets_claim as c')
    .innerJoin('assets_content as f', (join) =>
      join.onRef('f.tenant', '=', 'c.tenant').onRef('f.asset', '=', 'c.asset'),
    )
    .select(['c.asset', 'c.media_type', 'f.bytes', 'c.name', 'c.used_at'])
    .orderBy('c.used_at', 'desc')
    .limit(1)

export const CLAIM_OF = statement(({ asset, principal }: { asset: string; principal: string }) =>
  claims().where('c.asset', '=', asset).where('c.principal', '=', principal),
)
export const NEWEST_CLAIM = statement(({ asset }: { asset: string }) =>
  claims().where('c.asset', '=', asset),
)

export const CHUNKS = statement(({ asset }: { asset: string }) =>
  db.selectFrom('assets_chunk').select('data').where('asset', '=', asset).orderBy('n'),
)

interface HoldValues {
  readonly asset: string
  readonly session: string
  readonly principal: string
}
export const HOLD = statement(({ asset, session, principal }: HoldValues) =>
  db
    .insertInto('assets_hold')
    .values({ asset, session, principal })
    .onConflict((on) =>
      on
        .columns(['tenant', 'asset', 'session'])
        .doUpdateSet({ seen_at: sql<Date>`clock_timestamp()` }),
    ),
)

export const RELEASE = statement(({ asset, principal }: { asset: string; principal: string }) =>
  db
    .deleteFrom('assets_claim')
    .where('asset', '=', asset)
    .where('principal', '=', principal)
    .returning('asset'),
)

export const HELD_BY = statement(({ session }: { session: string }) =>
  db.selectFrom('assets_hold').select('asset').where('session', '=', session),
)

/** A session holds nothing any more; its files go from whoever has them in no other session. */
export const LET_GO = statement(
  ({ session }: { session: string }) => sql<{ asset: string }>`
with released as (delete from assets_hold where session = ${session} returning tenant, asset, principal)
delete from assets_claim c using released r
where c.tenant = r.tenant and c.asset = r.asset and c.principal = r.principal
  and not exists (select from assets_hold h where h.tenant = c.tenant and h.asset = c.asset and h.principal = c.principal and h.session <> ${session})
returning c.asset`,
)

/** Bytes outside of the database go after the transaction that drops their content. */
const planRemovals = () => sql`
removals as (insert into assets_removal (tenant, asset, due_at) select tenant, asset, now() from dropped where outside
  on conflict (tenant, asset) do update set due_at = excluded.due_at)`

/** Contents, of those that are locked, that nobody has any more. */
export const DROP_UNCLAIMED = statement(
  ({ assets }: { assets: readonly string[] }) => sql<{ asset: string }>`
with dropped as (
  delete from assets_content f where f.asset = any(${assets}::text[])
    and not exists (select from assets_claim c where c.tenant = f.tenant and c.asset = f.asset)
  returning f.tenant, f.asset, f.outside),
chunks as (delete from assets_chunk k using dropped d where k.tenant = d.tenant and k.asset = d.asset),${planRemovals()}
select asset from dropped`,
)

/** How long files are kept, in ms since they were last uploaded or sent. */
export interface Retention {
  /** Where no session has a message with the file. */
  readonly unusedMs: number
  /** Also where messages have it; `null`: without end. */
  readonly maxMs: number | null
}

/** Whether the time of a claim `c` is over. Nothing is older than `null`. */
const isOver = ({ unusedMs, maxMs }: Retention) => sql`
(c.used_at < now() - ${maxMs}::float8 * interval '1 ms'
  or (c.used_at < now() - ${unusedMs}::float8 * interval '1 ms'
    and not exists (select from assets_hold h where h.tenant = c.tenant and h.asset = c.asset and h.principal = c.principal)))`

/** Contents that have a claim whose time is over, or that nobody has. */
export const LOCK_DUE = statement(
  ({ limit, unusedMs, maxMs }: Retention & { limit: number }) => sql<{
    tenant: string
    asset: string
  }>`
select f.tenant, f.asset from assets_content f
where exists (select from assets_claim c where c.tenant = f.tenant and c.asset = f.asset and ${isOver({ unusedMs, maxMs })})
  or not exists (select from assets_claim c where c.tenant = f.tenant and c.asset = f.asset)
order by f.tenant, f.asset limit ${limit}::int for update skip locked`,
)

/** Contents by tenant and name, given as JSON. */
const among = (assets: string) =>
  sql`jsonb_to_recordset(${assets}::jsonb) x(tenant text, asset text)`

/** Claims whose time is over, with what sessions of their principals hold of these files. */
export const DROP_CLAIMS = statement(
  ({ assets, unusedMs, maxMs }: Retention & { assets: string }) => sql`
with dropped as (
  delete from assets_claim c using ${among(assets)} where c.tenant = x.tenant and c.asset = x.asset and ${isOver({ unusedMs, maxMs })}
  returning c.tenant, c.asset, c.principal)
delete from assets_hold h using dropped d where h.tenant = d.tenant and h.asset = d.asset and h.principal = d.principal`,
)

export const DROP_CONTENTS = statement(
  ({ assets }: { assets: string }) => sql<{ tenant: string; asset: string }>`
with dropped as (
  delete from assets_content f using ${among(assets)} where f.tenant = x.tenant and f.asset = x.asset
    and not exists (select from assets_claim c where c.tenant = f.tenant and c.asset = f.asset)
  returning f.tenant, f.asset, f.outside),
chunks as (delete from assets_chunk k using dropped d where k.tenant = d.tenant and k.asset = d.asset),${planRemovals()}
select tenant, asset from dropped`,
)

export const LOCK_REMOVALS = statement(
  ({ limit }: { limit: number }) => sql<{ tenant: string; asset: string }>`
select tenant, asset from assets_removal where due_at <= clock_timestamp() order by due_at limit ${limit}::int for update skip locked`,
)

export const USED_OUTSIDE = statement(
  ({ assets }: { assets: string }) => sql<{ tenant: string; asset: string }>`
select f.tenant, f.asset from assets_content f join ${among(assets)} on f.tenant = x.tenant and f.asset = x.asset where f.outside`,
)

export const DROP_REMOVALS = statement(
  ({ assets }: { assets: string }) => sql`
delete from assets_removal r using ${among(assets)} where r.tenant = x.tenant and r.asset = x.asset`,
)

/** Sessions whose history was not searched for since then. */
export const UNSEEN = statement(
  ({ keepMs, limit }: { keepMs: number; limit: number }) => sql<{
    tenant: string
    session: string
  }>`
select tenant, session from assets_hold where seen_at < now() - ${keepMs}::float8 * interval '1 ms'
group by tenant, session order by min(seen_at) limit ${limit}::int`,
)

export const SEEN = statement(({ tenant, session }: { tenant: string; session: string }) =>
  db
    .updateTable('assets_hold')
    .set({ seen_at: sql<Date>`clock_timestamp()` })
    .where('tenant', '=', tenant)
    .where('session', '=', session),
)

interface Person {
  readonly principal: string
  readonly tenant: string | null
}

/** What a person has: locked, so that nobody takes it up meanwhile. */
export const LOCK_OF = statement(
  ({ principal, tenant }: Person) => sql<{ tenant: string; asset: string }>`
select f.tenant, f.asset from assets_content f
where exists (select from assets_claim c where c.tenant = f.tenant and c.asset = f.asset and c.principal = ${principal})
  and f.tenant = coalesce(${tenant}::text, f.tenant)
order by f.tenant, f.asset for update`,
)

export const ERASE_HOLDS = statement(
  ({ principal, tenant, sessions }: Person & { readonly sessions: string }) => sql`
delete from assets_hold h where (h.principal = ${principal} and h.tenant = coalesce(${tenant}::text, h.tenant))
  or exists (select from jsonb_to_recordset(${sessions}::jsonb) x(tenant text, session text) where x.tenant = h.tenant and x.session = h.session)`,
)

export const ERASE_CLAIMS = statement(({ principal, tenant }: Person) =>
  db
    .deleteFrom('assets_claim')
    .where('principal', '=', principal)
    .where(sql<boolean>`tenant = coalesce(${tenant}::text, tenant)`)
    .returning('asset'),
)
