import { sql, statement } from '@amodal/sdk/database'
import type { Json } from '@amodal/sdk'
import { db } from './tables.ts'

const COLUMNS = [
  'a.id',
  'a.version',
  'a.session',
  'a.principal',
  'a.type',
  'a.title',
  'a.tags',
  'a.citations',
  'a.hash',
  'a.created_at',
] as const

export const BY_CALL = statement(({ callKey }: { callKey: string }) =>
  db
    .selectFrom('agent_runs_artifact')
    .select(['id', 'version', 'hash'])
    .where('call_key', '=', callKey),
)

/** Locks the newest version, so that versions are numbered without gaps. */
export const NEWEST = statement(({ id, principal }: { id: string; principal: string }) =>
  db
    .selectFrom('agent_runs_artifact')
    .select(['version', 'type', 'title', 'tags'])
    .where('id', '=', id)
    .where('principal', '=', principal)
    .orderBy('version', 'desc')
    .limit(1)
    .forUpdate(),
)

interface Version {
  readonly id: string
  readonly version: number
  readonly session: string
  readonly principal: string
  readonly callKey: string
  readonly type: string
  readonly title: string
  readonly tags: readonly string[]
  /** JSON of a list. */
  readonly citations: string
  readonly hash: string
}

export const ADD_VERSION = statement((made: Version) =>
  db.insertInto('agent_runs_artifact').values({
    id: made.id,
    version: made.version,
    session: made.session,
    principal: made.principal,
    call_key: made.callKey,
    type: made.type,
    title: made.title,
    tags: made.tags,
    citations: made.citations,
    hash: made.hash,
  }),
)

interface Content {
  readonly hash: string
  readonly bytes: number
  readonly markdown: string | null
  /** JSON text. */
  readonly json: string | null
}

/** The same content is kept once. */
export const ADD_CONTENT = statement(({ hash, bytes, markdown, json }: Content) =>
  db
    .insertInto('agent_runs_content')
    .values({ hash, bytes, markdown, json: json as Json })
    .onConflict((conflict) => conflict.columns(['tenant', 'hash']).doNothing()),
)

export const GET_NEWEST = statement(({ id }: { id: string }) =>
  db
    .selectFrom('agent_runs_artifact as a')
    .innerJoin('agent_runs_content as c', (join) =>
      join.onRef('c.tenant', '=', 'a.tenant').onRef('c.hash', '=', 'a.hash'),
    )
    .select([...COLUMNS, 'c.bytes', 'c.markdown', 'c.json'])
    .where('a.id', '=', id)
    .orderBy('a.version', 'desc')
    .limit(1),
)

export const GET_VERSION = statement(({ id, version }: { id: string; version: number }) =>
  db
    .selectFrom('agent_runs_artifact as a')
    .innerJoin('agent_runs_content as c', (join) =>
      join.onRef('c.tenant', '=', 'a.tenant').onRef('c.hash', '=', 'a.hash'),
    )
    .select([...COLUMNS, 'c.bytes', 'c.markdown', 'c.json'])
    .where('a.id', '=', id)
    .where('a.version', '=', version),
)

export const VERSIONS = statement(({ id }: { id: string }) =>
  db
    .selectFrom('agent_runs_artifact')
    .select(['version', 'title', 'hash', 'session', 'created_at'])
    .where('id', '=', id)
    .orderBy('version', 'desc'),
)

/** Of each artifact the last version that a session wrote. */
export const ALL_OF_SESSION = statement(({ session, limit }: { session: string; limit: number }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('agent_runs_artifact')
        .distinctOn('id')
        .select(['id', 'version', 'type', 'title', 'hash', 'created_at'])
        .where('session', '=', session)
        .orderBy('id')
        .orderBy('version', 'desc')
        .as('last'),
    )
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(limit),
)

interface PrincipalQuery {
  readonly principal: string
  /** `null`: of every type. */
  readonly type: string | null
  readonly limit: number
}

/** Of each artifact of a principal the last version. */
export const OF_PRINCIPAL = statement(({ principal, type, limit }: PrincipalQuery) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('agent_runs_artifact')
        .distinctOn('id')
        .select(['id', 'version', 'type', 'title', 'tags', 'created_at'])
        .where('principal', '=', principal)
        .where(sql<boolean>`type = coalesce(${type}::text, type)`)
        .orderBy('id')
        .orderBy('version', 'desc')
        .as('last'),
    )
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(limit),
)

/** The artifact that a session wrote last. */
export const OF_SESSION = statement(({ session }: { session: string }) =>
  db
    .selectFrom('agent_runs_artifact')
    .select('id')
    .where('session', '=', session)
    .orderBy('created_at', 'desc')
    .limit(1),
)
