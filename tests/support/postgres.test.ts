import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { type Postgres, startPostgres } from './postgres.ts'

let postgres: Postgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(() => postgres.stop())

async function query(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // a connection that breaks shows in what it was asked
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows.flatMap((row) =>
      Object.values(row),
    )
  } finally {
    await client.end()
  }
}

describe('startPostgres', () => {
  it('gives each caller an empty database of its own', async () => {
    const [one, two] = await Promise.all([postgres.createDatabase(), postgres.createDatabase()])
    await query(one, 'create table only_here (id int)')
    expect(one).not.toBe(two)
    await expect(query(two, 'select * from only_here')).rejects.toThrow(/does not exist/)
  })

  it('copies a database that serves as a template', async () => {
    const template = await postgres.createDatabase()
    await query(template, 'create table migrated (id int)')
    await query(template, 'insert into migrated values (7)')
    const copy = await postgres.createDatabase(template)
    await query(copy, 'insert into migrated values (8)')
    expect(await query(copy, 'select id from migrated order by id')).toEqual([7, 8])
    expect(await query(template, 'select id from migrated')).toEqual([7])
  })

  it('a restart breaks open connections, and keeps port and committed data', async () => {
    const url = await postgres.createDatabase()
    await query(url, 'create table kept as select 1 as id')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const errors: Error[] = []
    client.on('error', (error) => errors.push(error))
    await postgres.restart()
    await vi.waitFor(() => expect(errors.at(0)?.message).toMatch(/terminat/))
    expect(await query(url, 'select id from kept')).toEqual([1])
  })

  it('two of them do not know each other', async () => {
    const other = await startPostgres()
    expect(other.port).not.toBe(postgres.port)
    await other.stop()
    await expect(query(other.url(), 'select 1')).rejects.toThrow(/ECONNREFUSED/)
  })

  it('dies with the process that started it, even where that was killed', async () => {
    const source = fileURLToPath(new URL('postgres.ts', import.meta.url))
    const script = `import(${JSON.stringify(source)}).then((m) => m.startPostgres()).then((p) => console.log(p.url()))`
    const owner = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const url = await firstLine(owner)
    expect(await query(url, 'select 1')).toEqual([1])
    owner.kill('SIGKILL')
    await vi.waitFor(() => expect(query(url, 'select 1')).rejects.toThrow(/ECONNREFUSED/), {
      timeout: 45_000,
    })
  })
})

async function firstLine(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return text.trim()
}
