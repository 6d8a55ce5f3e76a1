import { describe, expect, expectTypeOf, it } from 'vitest'
import { ok, type Row, type Statement } from '@amodal/sdk'
import { runIn, runQuery, sql, statement, tables, type Generated } from '@amodal/sdk/database'

interface Tables {
  notes_note: {
    tenant: Generated<string>
    id: string
    text: string
    stars: number
    at: Generated<Date>
  }
}

const db = tables<Tables>()
const signal = new AbortController().signal

/** A database that keeps what it was asked to run. */
function recorder(rows: readonly Row[] = []): {
  readonly database: { run(statement: Statement): ReturnType<typeof answer> }
  readonly seen: Statement[]
} {
  const seen: Statement[] = []
  const answer = (): Promise<{ readonly ok: true; readonly value: readonly Row[] }> =>
    Promise.resolve(ok(rows))
  return {
    seen,
    database: {
      run: (one) => {
        seen.push(one)
        return answer()
      },
    },
  }
}

describe('a statement', () => {
  const BY_STARS = statement(({ stars, text }: { stars: number; text: string }) =>
    db
      .selectFrom('notes_note')
      .select(['id', 'at'])
      .where('stars', '>=', stars)
      .where((eb) => eb.or([eb('text', '=', text), eb('id', '=', text)]))
      .limit(2),
  )

  it('takes its parameters by name, each once, and knows its rows', async () => {
    const { database, seen } = recorder([{ id: 'a', at: new Date(0) }])
    const rows = await runQuery(database, BY_STARS({ stars: 3, text: "it's" }), signal)
    expect(seen).toEqual([
      {
        sql: 'select "id", "at" from "notes_note" where "stars" >= $1 and ("text" = $2 or "id" = $2) limit $3',
        parameters: [3, "it's", 2],
      },
    ])
    expect(rows).toEqual({ ok: true, value: [{ id: 'a', at: new Date(0) }] })
    if (rows.ok) expectTypeOf(rows.value).toEqualTypeOf<readonly { id: string; at: Date }[]>()
  })

  it('is compiled once, when it is first used, whatever its values', () => {
    let builds = 0
    const one = statement(({ id }: { id: string | null }) => {
      builds++
      return db.deleteFrom('notes_note').where('id', '=', id)
    })
    expect(builds).toBe(0)
    const texts = ['a', null, "'; drop table notes_note"].map((id) => one({ id }))
    expect(builds).toBe(1)
    expect(new Set(texts.map((text) => text.sql)).size).toBe(1)
    expect(texts.map(({ parameters }) => parameters)).toEqual([
      ['a'],
      [null],
      ["'; drop table notes_note"],
    ])
  })

  it('cannot depend on a value, since it has none while it is compiled', () => {
    const glued = statement(({ id }: { id: string }) =>
      db.deleteFrom('notes_note').where('id', '=', `note-${id}`),
    )
    expect(() => glued({ id: 'a' })).toThrow('the parameter "id" has no value')
    const spread = statement(({ id, ...others }: { id: string; text: string; stars: number }) =>
      db.updateTable('notes_note').set(others).where('id', '=', id),
    )
    expect(() => spread({ id: 'a', text: '', stars: 1 })).toThrow('name each that is used')
  })

  it('is written by hand with the template, where the builder has no word for it', () => {
    const LOCK = statement(
      ({ key }: { key: string }) => sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`,
    )
    expect(LOCK({ key: 'k' })).toEqual({
      sql: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
      parameters: ['k'],
    })
  })

  it('has no rows where nothing is returned', () => {
    const rows = runQuery(recorder().database, db.deleteFrom('notes_note'), signal)
    expectTypeOf(rows).resolves.toMatchTypeOf<{ readonly ok: boolean }>()
    expectTypeOf<Extract<Awaited<typeof rows>, { ok: true }>['value']>().toEqualTypeOf<
      readonly never[]
    >()
  })
})

describe('a query', () => {
  it('that is another one each time runs as well, also in a transaction', async () => {
    const { database, seen } = recorder([{ n: 1 }])
    const query = db.selectFrom('notes_note').select((eb) => eb.fn.countAll<number>().as('n'))
    const rows = await runIn(async (one) => (await database.run(one)).value, query)
    expectTypeOf(rows).toEqualTypeOf<readonly { n: number }[]>()
    expect(rows).toEqual([{ n: 1 }])
    expect(seen).toEqual([{ sql: 'select count(*) as "n" from "notes_note"', parameters: [] }])
  })

  it('is not run by Kysely itself', async () => {
    await expect(db.selectFrom('notes_note').selectAll().execute()).rejects.toThrow(
      'this query builder only compiles',
    )
    await expect(db.transaction().execute(() => Promise.resolve())).rejects.toThrow(
      'this query builder only compiles',
    )
  })

  it('names tables and columns that there are', () => {
    // @ts-expect-error there is no such table
    db.selectFrom('notes_nothing')
    // @ts-expect-error there is no such column
    db.selectFrom('notes_note').select('title')
    // @ts-expect-error stars are counted
    db.selectFrom('notes_note').where('stars', '=', 'many')
  })
})
