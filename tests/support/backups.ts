/** Servers whose database is backed up, and the files of backups. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import pg from 'pg'
import { expect } from 'vitest'
import { type Door, openDoor, textIn } from '../security/support/door.ts'
import { type Ran, runCommand } from './command.ts'

export const onPostgres = (url: string): JsonObject => ({
  stores: { backend: 'postgres', postgresUrl: url },
})

export const SECRET = 'sk-a-key-that-no-backup-holds'
export const open = (manifest: JsonObject): Promise<Door> =>
  openDoor({ manifest, script: reply.text('Noted.'), env: { OPENAI_API_KEY: SECRET } })

export const amodal = (dir: string, ...argv: readonly string[]): Promise<Ran> =>
  runCommand([...argv, '--dir', dir])

export const fileIn = ({ dir }: Pick<Door, 'dir'>): string => join(dir, 'agent.backup')

export async function say(door: Door, message: string, session?: string): Promise<string> {
  const answered = await door.say(message, session === undefined ? {} : { session_id: session })
  expect(answered.status, answered.text).toBe(200)
  return textIn(answered.body, 'session_id')
}

export const history = async (door: Door, session: string): Promise<string> =>
  (await door.get(`/sessions/${session}`, { authorization: `Bearer ${door.token}` })).text

export async function backUp(door: Door, file = fileIn(door)): Promise<void> {
  expect(await amodal(door.dir, 'ops', 'backup', '--output', file)).toMatchObject({
    code: 0,
    err: '',
  })
}

/** Changes amodal.json, as a person would to move to another database. */
export async function move({ dir }: Pick<Door, 'dir'>, manifest: JsonObject): Promise<void> {
  const file = join(dir, 'amodal.json')
  const { stores: _, ...present } = JSON.parse(await readFile(file, 'utf8')) as JsonObject
  await writeFile(file, JSON.stringify({ ...present, ...manifest }))
}

export const linesOf = async (file: string): Promise<readonly JsonObject[]> =>
  gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject) // an object or a row

/** The figures of each table: rows, hash, sequences. */
export const tablesOf = async (file: string): Promise<readonly JsonObject[]> =>
  (await linesOf(file)).filter((line) => 'end' in line)

/** Writes a backup with other lines, and a checksum that fits. */
export async function forge(
  from: string,
  to: string,
  change: (lines: readonly JsonObject[]) => readonly JsonObject[],
): Promise<void> {
  const lines = change((await linesOf(from)).slice(0, -1))
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const checksum = createHash('sha256').update(text).digest('hex')
  await writeFile(to, gzipSync(`${text}${JSON.stringify({ checksum })}\n`))
}

/** The same with so many more rows in the journal, of no session. */
export const withEntries =
  (count: number, body = 'x') =>
  (lines: readonly JsonObject[]): readonly JsonObject[] => {
    const start = lines.findIndex((line) => line['table'] === 'sessions_journal')
    const end = lines.findIndex((line) => line['end'] === 'sessions_journal')
    const columns = (lines[start]?.['columns'] ?? []) as readonly string[]
    const rows: readonly unknown[] = [
      ...lines.slice(start + 1, end),
      ...Array.from({ length: count }, (_, n) =>
        columns.map((name) => ({ lane: String(10_000_000 + n), seq: '1', body })[name] ?? null),
      ),
    ]
    const sha256 = createHash('sha256')
    for (const row of rows) sha256.update(`${JSON.stringify(row)}\n`)
    const [header, ...others] = lines
    const tables = (header?.['tables'] ?? []) as readonly JsonObject[]
    return [
      {
        ...header,
        tables: tables.map((table) =>
          table['name'] === 'sessions_journal' ? { ...table, rows: rows.length } : table,
        ),
      },
      ...others.slice(0, start),
      ...(rows as readonly JsonObject[]), // rows are arrays; nothing looks into them
      { ...lines[end], rows: rows.length, sha256: sha256.digest('hex') },
      ...lines.slice(end + 1),
    ]
  }

export const rowsOf = async (file: string, table: string): Promise<unknown> =>
  (await tablesOf(file)).find(({ end }) => end === table)?.['rows']

export async function rowsIn<R extends pg.QueryResultRow>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<R>(sql)).rows
  } finally {
    await client.end()
  }
}
