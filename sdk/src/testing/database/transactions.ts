import { describe, expect, test } from 'vitest'
import { err, sleep, type Result } from '@amodal/kernel'
import type { Statement } from '../../ports/index.ts'
import type { DatabaseBench } from './subject.ts'

/** Transactions and NOTIFY. */
export function transactionTests(bench: DatabaseBench): void {
  const { run, signal } = bench

  describe('a transaction', () => {
    const insert = (id: number): Statement => ({
      sql: 'insert into contract_notes values ($1, $2, $3)',
      parameters: ['a', id, 'x'],
    })
    const ids = async (): Promise<readonly unknown[]> =>
      (await run('select id from contract_notes order by id')).map(({ id }) => id)

    test('commits what it did, and answers with what its work returned', async () => {
      const done = await bench.database.transaction(async (tx) => {
        await tx(insert(1))
        await tx(insert(2))
        return (await tx({ sql: 'select count(*) as n from contract_notes', parameters: [] }))[0]?.[
          'n'
        ]
      }, signal)
      expect(done).toEqual({ ok: true, value: 2 })
      expect(await ids()).toEqual([1, 2])
    })

    test('is rolled back when its work throws, and the failure carries the cause', async () => {
      const cause = new Error('changed my mind')
      const done = await bench.database.transaction(async (tx) => {
        await tx(insert(1))
        throw cause
      }, signal)
      expect(done).toMatchObject({ ok: false, error: { code: 'STORE_FAILED', cause } })
      expect(await ids()).toEqual([])
    })

    test('is rolled back when its work returns an error value, which is handed on', async () => {
      const done = await bench.database.transaction(async (tx): Promise<Result<void, string>> => {
        await tx(insert(1))
        return err('no')
      }, signal)
      expect(done).toEqual({ ok: true, value: { ok: false, error: 'no' } })
      expect(await ids()).toEqual([])
    })

    test('whose statement fails keeps its SQLSTATE', async () => {
      const done = await bench.database.transaction(async (tx) => {
        await tx(insert(1))
        await tx(insert(1))
      }, signal)
      expect(done).toMatchObject({ ok: false, error: { details: { sqlstate: '23505' } } })
      expect(await ids()).toEqual([])
    })

    test('whose failed statement is swallowed is not told to be committed', async () => {
      const done = await bench.database.transaction(async (tx) => {
        await tx(insert(1))
        await tx({ sql: 'select 1 / 0', parameters: [] }).catch(() => undefined)
        return 'fine'
      }, signal)
      expect(done).toMatchObject({
        ok: false,
        error: { code: 'STORE_FAILED', details: { rolledBack: true } },
      })
      expect(await ids()).toEqual([])
    })

    test('is rolled back when its signal aborts while it waits for something else', async () => {
      const controller = new AbortController()
      let late: unknown
      const done = await bench.database.transaction(async (tx) => {
        await tx(insert(1))
        controller.abort(new Error('enough'))
        await sleep(30)
        late = await tx(insert(2)).catch((cause: unknown) => cause)
      }, controller.signal)
      expect(done).toMatchObject({ ok: false, error: { details: { aborted: true } } })
      expect(await ids()).toEqual([])
      await expect.poll(() => late).toBeInstanceOf(Error)
      expect(await ids()).toEqual([])
    })

    test('answers statements that are made at the same time, one after the other', async () => {
      const done = await bench.database.transaction(
        (tx) => Promise.all([1, 2, 3].map((id) => tx(insert(id)))),
        signal,
      )
      expect(done.ok).toBe(true)
      expect(await ids()).toEqual([1, 2, 3])
    })

    test('of its own does not see another one that is open, and two that meet lose no update', async () => {
      await run(
        "insert into contract_notes_counters values ('a', 'hits', 0) on conflict do nothing",
      )
      const bump = (): Promise<Result<void, unknown>> =>
        bench.database.transaction(async (tx) => {
          const [row] = await tx({
            sql: "select n from contract_notes_counters where tenant = 'a' and name = 'hits' for update",
            parameters: [],
          })
          await tx({
            sql: "update contract_notes_counters set n = $1 where tenant = 'a' and name = 'hits'",
            parameters: [Number(row?.['n']) + 1],
          })
        }, signal)
      const done = await Promise.all(Array.from({ length: 40 }, bump))
      expect(done.every(({ ok }) => ok)).toBe(true)
      expect(await run('select n from contract_notes_counters')).toEqual([{ n: 40 }])
    })

    test.each(['40001', '40P01'])(
      'that the database gives up for another one is repeated, and so is a single statement (SQLSTATE %s)',
      async (sqlstate) => {
        // A sequence counts what is rolled back, too.
        await run('create sequence contract_notes_attempts')
        await run(`create function contract_notes_conflict(until int) returns int language plpgsql as $$
        declare attempt int := nextval('contract_notes_attempts');
        begin
          if attempt < until then raise exception 'in the way' using errcode = '${sqlstate}'; end if;
          return attempt;
        end $$`)
        try {
          const conflict = (until: number): Statement => ({
            sql: 'select contract_notes_conflict($1) as attempt',
            parameters: [until],
          })
          const done = await bench.database.transaction(async (tx) => {
            await tx(insert(1))
            return (await tx(conflict(3)))[0]?.['attempt']
          }, signal)
          expect(done).toEqual({ ok: true, value: 3 })
          expect(await ids()).toEqual([1])
          expect(await bench.database.run(conflict(6), signal)).toEqual({
            ok: true,
            value: [{ attempt: 6 }],
          })
          // Also where the work looks away.
          const swallowed = await bench.database.transaction(
            async (tx) => tx(conflict(9)).catch(() => 'gave up'),
            signal,
          )
          expect(swallowed).toEqual({ ok: true, value: [{ attempt: 9 }] })
          expect(await bench.database.run(conflict(1_000), signal)).toMatchObject({
            ok: false,
            error: { details: { sqlstate } },
          })
        } finally {
          await run('drop function contract_notes_conflict')
          await run('drop sequence contract_notes_attempts')
        }
      },
    )

    test('that never runs a statement costs nothing and succeeds', async () => {
      expect(await bench.database.transaction(async () => 'nothing', signal)).toEqual({
        ok: true,
        value: 'nothing',
      })
    })
  })

  describe('NOTIFY', () => {
    test('is heard by every listener of the channel, with its payload as it is', async () => {
      const payloads: string[] = []
      const ends = [
        bench.database.listen('Con"tract', (payload) => payloads.push(`1 ${payload}`)),
        bench.database.listen('Con"tract', (payload) => payloads.push(`2 ${payload}`)),
      ]
      await expect
        .poll(async () => {
          await bench.database.notify('Con"tract', 'it\'s "here"', signal)
          return payloads
        })
        .toEqual(expect.arrayContaining(['1 it\'s "here"', '2 it\'s "here"']))
      ends[0]?.()
      payloads.length = 0
      await expect
        .poll(async () => {
          await bench.database.notify('Con"tract', 'again', signal)
          return payloads
        })
        .toContain('2 again')
      expect(payloads).not.toContain('1 again')
      ends[1]?.()
    })

    test('within a transaction is heard after its commit, and never of one that was rolled back', async () => {
      const payloads: string[] = []
      const end = bench.database.listen('contract_tx', (payload) => payloads.push(payload))
      await expect
        .poll(async () => {
          await bench.database.notify('contract_tx', 'ready', signal)
          return payloads.length
        })
        .toBeGreaterThan(0)
      await bench.database.transaction(async (tx) => {
        await tx({ sql: "select pg_notify('contract_tx', 'undone')", parameters: [] })
        throw new Error('no')
      }, signal)
      let during: readonly string[] = []
      await bench.database.transaction(async (tx) => {
        await tx({ sql: "select pg_notify('contract_tx', 'done')", parameters: [] })
        await sleep(20)
        during = [...payloads]
      }, signal)
      expect(during).not.toContain('done')
      await expect.poll(() => payloads).toContain('done')
      expect(payloads).not.toContain('undone')
      end()
    })

    test('survives a listener that throws', async () => {
      const payloads: string[] = []
      const ends = [
        bench.database.listen('contract_bad', () => {
          throw new Error('mine')
        }),
        bench.database.listen('contract_bad', (payload) => payloads.push(payload)),
      ]
      await expect
        .poll(async () => {
          await bench.database.notify('contract_bad', 'x', signal)
          return payloads.length
        })
        .toBeGreaterThan(0)
      for (const end of ends) end()
    })
  })
}
