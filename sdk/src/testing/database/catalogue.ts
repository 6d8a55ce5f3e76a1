import { expect, test } from 'vitest'
import { catalogueProblems } from '../../database/index.ts'
import { NOTES, valueOf, type DatabaseBench } from './subject.ts'

/** The catalogue of the tables, and what the database reports of itself. */
export function catalogueTests(bench: DatabaseBench): void {
  const { run, signal } = bench

  test('its catalogue follows the rules, and a table that does not is named', async () => {
    expect(await catalogueProblems(bench.database, [NOTES], {}, signal)).toEqual({
      ok: true,
      value: [],
    })
    await run('create table contract_notes_bad(id int primary key, tenant text)')
    await run('create table stray(tenant text)')
    const found = valueOf(
      await catalogueProblems(
        bench.database,
        [
          {
            ...NOTES,
            tenantTables: ['contract_notes', 'contract_notes_bad', 'contract_notes_gone'],
          },
        ],
        {},
        signal,
      ),
    )
    expect(found).toHaveLength(5)
    expect(found.join('\n')).toMatch(/contract_notes_bad_pkey.*begins with id/)
    expect(found.join('\n')).toMatch(/"contract_notes_bad" is not under row security/)
    expect(found.join('\n')).toMatch(/"contract_notes_gone" does not exist/)
    expect(found.join('\n')).toMatch(/"stray" carries no plugin's name/)
    await run('drop table contract_notes_bad')
    await run('drop table stray')
  })

  test('is ready, and says which sort it is', () => {
    expect(bench.database.ready()).toEqual({ ready: true })
    expect(['pglite', 'postgres']).toContain(bench.database.dialect)
  })
}
