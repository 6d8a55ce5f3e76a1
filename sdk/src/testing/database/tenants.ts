import { describe, expect, test } from 'vitest'
import { principalId, sessionId, SessionFacts, tenantId } from '@amodal/kernel'
import { sqlstateOf } from '../../database/index.ts'
import { TenantDatabase, type Row } from '../../ports/index.ts'
import { valueOf, type DatabaseBench } from './subject.ts'

/** Row security between tenants. */
export function tenantTests(bench: DatabaseBench): void {
  const { run, signal } = bench

  describe('tenants', () => {
    const asTenant = (id: string): TenantDatabase => {
      const facts: SessionFacts = {
        tenant: tenantId(id),
        session: sessionId(`s-${id}`),
        principal: principalId('someone'),
      }
      return bench.kernel.scope.child('session', [[SessionFacts, facts]]).get(TenantDatabase)
    }
    const rowsOf = async (
      id: string,
      sql: string,
      ...parameters: readonly unknown[]
    ): Promise<readonly Row[]> => valueOf(await asTenant(id).run({ sql, parameters }, signal))
    const write = (id: string, note: number): Promise<readonly Row[]> =>
      rowsOf(id, 'insert into contract_notes values ($1, $2, $3)', id, note, `of ${id}`)

    test('see their own rows, whatever the SQL says', async () => {
      await write('acme', 1)
      await write('bolt', 1)
      expect(await rowsOf('acme', 'select * from contract_notes')).toEqual([
        { tenant: 'acme', id: 1, body: 'of acme' },
      ])
      expect(
        await rowsOf('acme', "select * from contract_notes where tenant = 'bolt' or true"),
      ).toHaveLength(1)
      expect(await rowsOf('acme', 'select count(*) as n from contract_notes')).toEqual([{ n: 1 }])
      expect(await rowsOf('', 'select * from contract_notes')).toEqual([])
    })

    test('can neither write, change nor delete what belongs to another', async () => {
      await write('bolt', 1)
      const acme = asTenant('acme')
      for (const sql of [
        "insert into contract_notes values ('bolt', 2, 'planted')",
        "insert into contract_notes values ('bolt', 1, 'planted') on conflict (tenant, id) do update set body = excluded.body",
      ])
        expect(await acme.run({ sql, parameters: [] }, signal)).toMatchObject({
          ok: false,
          error: { details: { sqlstate: '42501' } },
        })
      expect(
        await rowsOf('acme', "update contract_notes set body = 'changed' returning id"),
      ).toEqual([])
      expect(await rowsOf('acme', 'delete from contract_notes returning id')).toEqual([])
      await write('acme', 7)
      expect(
        await acme.run(
          { sql: "update contract_notes set tenant = 'bolt'", parameters: [] },
          signal,
        ),
      ).toMatchObject({ ok: false, error: { details: { sqlstate: '42501' } } })
      expect(await run("select body from contract_notes where tenant = 'bolt'")).toEqual([
        { body: 'of bolt' },
      ])
    })

    test('cannot step out of their tenant, and reach no table that is not for tenants', async () => {
      const acme = asTenant('acme')
      for (const sql of [
        "select set_config('amodal.tenant', 'bolt', true)",
        'reset role',
        '  -- a comment\n set role postgres',
        '/* so */ commit',
        'rollback',
        "set local amodal.tenant = 'bolt'",
        'discard all',
        'do $$ begin end $$',
        "select U&\"set\\005fconfig\"('role', 'none', true)",
      ])
        expect(await acme.run({ sql, parameters: [] }, signal), sql).toMatchObject({
          ok: false,
          error: { code: 'STORE_FAILED' },
        })
      for (const sql of [
        'create table contract_notes_mine(a int)',
        'alter table contract_notes disable row level security',
        'truncate contract_notes',
        'lock table contract_notes',
        'explain select 1',
      ]) {
        expect(await acme.run({ sql, parameters: [] }, signal), sql).toMatchObject({
          ok: false,
          error: { code: 'STORE_FAILED' },
        })
      }
      for (const sql of [
        'select * from contract_notes_counters',
        '(select n from amodal_migrations)',
        'with t as (select 1) select * from contract_notes_counters, t',
        "update amodal_migrations set name = 'x'",
      ]) {
        expect(await acme.run({ sql, parameters: [] }, signal), sql).toMatchObject({
          ok: false,
          error: { details: { sqlstate: '42501' } },
        })
      }
    })

    test('keep to their rows inside a transaction', async () => {
      await write('bolt', 1)
      const seen = await asTenant('acme').transaction(async (tx) => {
        await tx({ sql: "insert into contract_notes values ('acme', 1, 'mine')", parameters: [] })
        return tx({ sql: 'select tenant from contract_notes', parameters: [] })
      }, signal)
      expect(seen).toEqual({ ok: true, value: [{ tenant: 'acme' }] })
      const out = await asTenant('acme').transaction(
        (tx) => tx({ sql: 'reset role', parameters: [] }),
        signal,
      )
      expect(out.ok).toBe(false)
    })

    test('do not leak into whatever uses the connection next, after success or failure', async () => {
      const mixed = await Promise.all(
        Array.from({ length: 120 }, async (_, n) => {
          if (n % 3 === 0)
            return bench.database.run(
              { sql: "select current_user <> 'amodal_tenant' as fine", parameters: [] },
              signal,
            )
          const own = `t${n % 7}`
          if (n % 3 === 1) return asTenant(own).run({ sql: 'select 1 / 0', parameters: [] }, signal)
          return asTenant(own).run(
            {
              sql: "select current_user = 'amodal_tenant' and current_setting('amodal.tenant') = $1 as fine",
              parameters: [own],
            },
            signal,
          )
        }),
      )
      mixed.forEach((done, n) => {
        if (n % 3 === 1) expect(!done.ok && sqlstateOf(done.error)).toBe('22012')
        else expect(done).toEqual({ ok: true, value: [{ fine: true }] })
      })
    })
  })
}
