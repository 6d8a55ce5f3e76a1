import { sql, statement, type RawBuilder } from '@amodal/sdk/database'
import { db } from './tables.ts'

interface Tenant {
  readonly tenant: string
}
interface Head extends Tenant {
  readonly n: number
  readonly hash: string
}

/** Lines behind a place in a chain, in their order. */
export const LINES = statement(({ tenant, after, limit }: Tenant & Page) =>
  lines(tenant, after, limit),
)
/** The same of one session. */
export const LINES_OF = statement(
  ({ tenant, session, after, limit }: Tenant & Page & { session: string }) =>
    lines(tenant, after, limit).where('session', '=', session),
)
interface Page {
  readonly after: number
  readonly limit: number
}
const lines = (tenant: string, after: number, limit: number) =>
  db
    .selectFrom('audit_line')
    .select(['n', 'key', 'session', 'body', 'hash'])
    .where('tenant', '=', tenant)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)

export const HEAD = statement(({ tenant }: Tenant) => head(tenant))
/** The same, locked until the transaction ends. */
export const LOCK_HEAD = statement(({ tenant }: Tenant) => head(tenant).forUpdate())
const head = (tenant: string) =>
  db.selectFrom('audit_head').select(['n', 'hash', 'seal']).where('tenant', '=', tenant)

export const HEADS = statement(() =>
  db.selectFrom('audit_head').select(['tenant', 'n', 'hash', 'seal']),
)

export const TENANTS = statement(() =>
  db
    .selectFrom('audit_head')
    .select('tenant')
    .union(db.selectFrom('audit_line').select('tenant'))
    .orderBy('tenant'),
)

/** Which of these keys, each with its session, are in a chain. */
export const KNOWN = statement(
  ({
    tenant,
    keys,
    sessions,
  }: Tenant & { keys: readonly string[]; sessions: readonly (string | null)[] }) => {
    const line = db.selectFrom('audit_line as l').select('l.key').where('l.tenant', '=', tenant)
    return db
      .selectFrom(
        sql<{
          key: string
          session: string | null
        }>`unnest(${keys}::text[], ${sessions}::text[])`.as<'known'>(sql`known(key, session)`),
      )
      .innerJoinLateral(
        () =>
          line
            .whereRef('l.session', '=', sql.ref('known.session'))
            .whereRef('l.key', '=', sql.ref('known.key'))
            .unionAll(
              line
                .where('l.session', 'is', null)
                .where(sql<boolean>`known.session is null`)
                .whereRef('l.key', '=', sql.ref('known.key')),
            )
            .as('found'),
        (join) => join.onTrue(),
      )
      .select('found.key')
  },
)

/** The head of a chain without lines, where it has none yet. */
export const BEGIN = statement(({ tenant, n, hash }: Head) =>
  db
    .insertInto('audit_head')
    .values({ tenant, n, hash })
    .onConflict((conflict) => conflict.column('tenant').doNothing()),
)

interface Added {
  readonly tenant: string
  /** The head as it is to be. */
  readonly n: number
  readonly hash: string
  readonly seal: string | null
  /** The head that the lines were made for. */
  readonly fromN: number
  readonly fromHash: string
  readonly ns: readonly number[]
  readonly keys: readonly string[]
  readonly sessions: readonly (string | null)[]
  readonly bodies: readonly string[]
  readonly hashes: readonly string[]
}

/**
 * Moves the head and adds the lines, both or neither. By hand: the chain rests on it, and what it
 * does should be read in one piece.
 */
export const ADD = statement(
  (to: Added) => sql<{ moved: boolean }>`
with moved as (
  update audit_head set n = ${to.n}, hash = ${to.hash}, seal = ${to.seal}
  where tenant = ${to.tenant} and n = ${to.fromN} and hash = ${to.fromHash} returning 1),
added as (
  insert into audit_line(tenant, n, key, session, body, hash)
  select ${to.tenant}, line.n, line.key, line.session, line.body, line.hash
  from unnest(${to.ns}::bigint[], ${to.keys}::text[], ${to.sessions}::text[], ${to.bodies}::text[], ${to.hashes}::text[])
    as line(n, key, session, body, hash)
  where exists (select from moved) returning 1)
select count(*) > 0 as moved from added`,
)

/** In one tenant, or in all: `null`. */
const inTenant = (column: 'tenant' | 'l.tenant', tenant: string | null): RawBuilder<boolean> =>
  sql<boolean>`(${tenant}::text is null or ${sql.ref(column)} = ${tenant})`

interface Person {
  readonly principal: string
  readonly tenant: string | null
}

/** Lines of a person, and of their sessions, which are given as JSON. */
export const OWN = statement(({ principal, tenant, sessions }: Person & { sessions: string }) =>
  db
    .selectFrom('audit_line as l')
    .select(['l.tenant', 'l.n', 'l.hash'])
    .where('l.body', '<>', '')
    .where((eb) =>
      eb.or([
        eb.and([
          inTenant('l.tenant', tenant),
          // Not read as JSON where it is empty, whatever is looked at first.
          sql<boolean>`case when l.body = '' then null else l.body::jsonb ->> 'principal' end = ${principal}`,
        ]),
        eb.exists(
          eb
            .selectFrom(
              sql<{
                tenant: string
                session: string
              }>`jsonb_to_recordset(${sessions}::jsonb)`.as<'gone'>(
                sql`gone(tenant text, session text)`,
              ),
            )
            .select('gone.session')
            .whereRef('gone.tenant', '=', 'l.tenant')
            .whereRef('gone.session', '=', 'l.session'),
        ),
      ]),
    )
    .orderBy('l.tenant')
    .orderBy('l.n'),
)

/**
 * Sessions that a person began and nobody else spoke in, with the runs in them (0 in a text is the
 * run that the key begins with). Those that were deleted since are known here alone, and what came
 * of them is kept elsewhere. One that somebody else spoke in may be another of the same id.
 */
export const OWN_SESSIONS = statement(
  ({ principal, tenant }: Person) => sql<{
    tenant: string
    session: string
    runs: readonly string[]
  }>`
with line as materialized (
  select l.tenant, l.session, b.body ->> 'kind' as kind, b.body ->> 'principal' as principal,
    case b.body ->> 'run' when '0' then split_part(l.key, ':', 1) else b.body ->> 'run' end as run
  from audit_line l cross join lateral (select case when l.body = '' then null else l.body::jsonb end as body) b
  where l.session is not null and l.body <> '' and ${inTenant('l.tenant', tenant)})
select tenant, session, coalesce(array_agg(distinct run) filter (where run is not null), '{}') as runs
from line group by tenant, session
having bool_or(kind = 'session_start' and principal = ${principal}) and not bool_or(kind = 'run_start' and principal is distinct from ${principal})
order by tenant, session`,
)

/** How many lines say the name anywhere, which is given as it stands in JSON. */
export const ELSEWHERE = statement(({ name, tenant }: { name: string; tenant: string | null }) =>
  db
    .selectFrom('audit_line')
    .select(sql<number>`count(*)::int`.as('n'))
    .where(inTenant('tenant', tenant))
    .where(sql<boolean>`strpos(concat_ws(' ', body, key, session), ${name}) > 0`),
)

/** What the trigger of the table asks before a line may be emptied. */
export const ALLOW_ERASURE = statement(
  () => sql`select set_config('amodal.audit_erasure', 'on', true)`,
)
export const END_ERASURE = statement(
  () => sql`select set_config('amodal.audit_erasure', 'off', true)`,
)

export const EMPTY_LINES = statement(({ tenant, ns }: Tenant & { ns: readonly number[] }) =>
  db
    .updateTable('audit_line')
    .set({ body: '', session: null, key: sql<string>`'erased:' || n` })
    .where('tenant', '=', tenant)
    .where('n', '=', sql<number>`any(${ns}::bigint[])`),
)

/** Lines behind a head that is locked, given as JSON. */
export const ADD_LINES = statement(({ tenant, rows }: Tenant & { rows: string }) =>
  db
    .insertInto('audit_line')
    .columns(['tenant', 'n', 'key', 'session', 'body', 'hash'])
    .expression(
      db
        .selectFrom(
          sql<Line>`jsonb_to_recordset(${rows}::jsonb)`.as<'line'>(
            sql`line(n bigint, key text, body text, hash text)`,
          ),
        )
        .select((eb) => [
          sql<string>`${tenant}::text`.as('tenant'),
          'line.n',
          'line.key',
          eb.lit(null).as('session'),
          'line.body',
          'line.hash',
        ]),
    ),
)
interface Line {
  readonly n: number
  readonly key: string
  readonly body: string
  readonly hash: string
}

export const MOVE_HEAD = statement(({ tenant, n, hash, seal }: Head & { seal: string | null }) =>
  db.updateTable('audit_head').set({ n, hash, seal }).where('tenant', '=', tenant),
)
