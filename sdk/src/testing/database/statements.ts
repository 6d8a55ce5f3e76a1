import { describe, expect, test } from 'vitest'
import { connectionBroke, refusedData, sqlstateOf } from '../../database/index.ts'
import type { Statement } from '../../ports/index.ts'
import { valueOf, type DatabaseBench } from './subject.ts'

/** Values and single statements. */
export function statementTests(bench: DatabaseBench): void {
  const { run, signal } = bench

  describe('values', () => {
    test.each<[type: string, given: unknown, back: unknown]>([
      ['int', 42, 42],
      ['bigint', 9_007_199_254_740_991n, 9_007_199_254_740_991],
      ['bigint', '9223372036854775807', '9223372036854775807'],
      ['double precision', 0.1, 0.1],
      ['numeric', '12345678901234567890.5', '12345678901234567890.5'],
      ['boolean', true, true],
      ['text', 'ü"\\\'{},\n€😀', 'ü"\\\'{},\n€😀'],
      ['text', '', ''],
      ['text', null, null],
      ['text', undefined, null],
      ['jsonb', { a: [1, null, 'x'], b: { c: true } }, { a: [1, null, 'x'], b: { c: true } }],
      ['jsonb', JSON.stringify([1, 2]), [1, 2]],
      [
        'text[]',
        ['a', 'b,c', 'd"e\\f', '', 'NULL', null],
        ['a', 'b,c', 'd"e\\f', '', 'NULL', null],
      ],
      ['int[]', [], []],
      [
        'bigint[][]',
        [
          [1, 2],
          [3, 4],
        ],
        [
          [1, 2],
          [3, 4],
        ],
      ],
      ['jsonb[]', [{ a: 1 }, { b: 'x"y' }], [{ a: 1 }, { b: 'x"y' }]],
      ['bytea', new Uint8Array([0, 1, 254, 255]), new Uint8Array([0, 1, 254, 255])],
      ['timestamptz', new Date('2026-03-29T01:30:00.123Z'), new Date('2026-03-29T01:30:00.123Z')],
      ['timestamptz', 'infinity', 'infinity'],
      ['timestamptz', '290000-01-01 00:00:00+00', '290000-01-01 00:00:00+00'],
      ['timestamp', '2026-03-29 01:30:00.5', new Date('2026-03-29T01:30:00.500Z')],
      ['timestamp', '0044-03-15 12:00:00 BC', '0044-03-15 12:00:00 BC'],
      ['timestamp[]', ['2026-03-29 01:30:00', null], [new Date('2026-03-29T01:30:00Z'), null]],
      ['date', '2026-03-29', '2026-03-29'],
      ['uuid', '6e3c1b0e-4f7a-4c8e-9a53-0d9d0a3e2f11', '6e3c1b0e-4f7a-4c8e-9a53-0d9d0a3e2f11'],
    ])('%s comes back as it went (%#)', async (type, given, back) => {
      expect(await run(`select $1::${type} as value`, given)).toEqual([{ value: back }])
    })

    test('count(*) is a number', async () => {
      expect(await run('select count(*) as n from contract_notes')).toEqual([{ n: 0 }])
    })

    test('a statement without rows answers with none', async () => {
      expect(await run("insert into contract_notes values ('a', 1, 'x')")).toEqual([])
      expect(await run("update contract_notes set body = 'y' returning id, body")).toEqual([
        { id: 1, body: 'y' },
      ])
    })

    test('what is no value of a database is refused as data, and what Postgres refuses likewise', async () => {
      for (const bad of [() => 1, Symbol('x'), 'nul\0inside']) {
        const refused = await bench.database.run(
          { sql: 'select $1::text', parameters: [bad] },
          signal,
        )
        expect(!refused.ok && refusedData(refused.error)).toBe(true)
      }
      expect(await run('select 1 as one')).toEqual([{ one: 1 }])
    })
  })

  describe('one statement', () => {
    test('says what the server says: SQLSTATE and constraint, and that the connection is whole', async () => {
      await run("insert into contract_notes values ('a', 1, 'x')")
      const failed = await bench.database.run(
        { sql: "insert into contract_notes values ('a', 1, 'again')", parameters: [] },
        signal,
      )
      expect(failed).toMatchObject({
        ok: false,
        error: {
          code: 'STORE_FAILED',
          details: { sqlstate: '23505', constraint: 'contract_notes_pkey' },
        },
      })
      if (!failed.ok) expect(connectionBroke(failed.error)).toBe(false)
      expect(await run('select body from contract_notes')).toEqual([{ body: 'x' }])
    })

    test('what stands `before` it shares its round trip and its fate', async () => {
      const insert: Statement = {
        sql: 'insert into contract_notes values ($1, $2, $3)',
        parameters: ['a', 1, 'x'],
      }
      expect(
        valueOf(
          await bench.database.run(
            { sql: 'select count(*) as n from contract_notes', parameters: [], before: [insert] },
            signal,
          ),
        ),
      ).toEqual([{ n: 1 }])
      const failed = await bench.database.run(
        {
          sql: 'select 1 / 0',
          parameters: [],
          before: [{ ...insert, parameters: ['a', 2, 'x'] }],
        },
        signal,
      )
      expect(!failed.ok && sqlstateOf(failed.error)).toBe('22012')
      expect(await run('select count(*) as n from contract_notes')).toEqual([{ n: 1 }])
    })

    test('an aborted one that has not begun leaves nothing', async () => {
      const aborted = await bench.database.run(
        { sql: "insert into contract_notes values ('a', 1, 'x')", parameters: [] },
        AbortSignal.abort(new Error('gone')),
      )
      expect(aborted).toMatchObject({
        ok: false,
        error: { code: 'STORE_FAILED', details: { aborted: true } },
      })
      expect(await run('select * from contract_notes')).toEqual([])
    })

    test('many at once are all answered, each with its own', async () => {
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, n) =>
          run(n % 2 === 0 ? 'select $1::int as n' : 'select $1::int as n, $1::int + 1 as next', n),
        ),
      )
      expect(answers.map((rows) => rows[0]?.['n'])).toEqual(
        Array.from({ length: 300 }, (_, n) => n),
      )
    })

    test('more different texts than a connection keeps prepared', async () => {
      for (let n = 0; n < 450; n++)
        expect(await run(`select ${n % 250} as n`)).toEqual([{ n: n % 250 }])
    })

    test('the same text sees a table that has changed meanwhile', async () => {
      await run('create table contract_notes_moving(a int primary key)')
      await run('insert into contract_notes_moving values (1)')
      const select = 'select * from contract_notes_moving'
      for (let n = 0; n < 12; n++) expect(await run(select)).toEqual([{ a: 1 }])
      await run("alter table contract_notes_moving add column b text default 'new'")
      for (let n = 0; n < 12; n++) expect(await run(select)).toEqual([{ a: 1, b: 'new' }])
      await run('drop table contract_notes_moving')
    })
  })
}
