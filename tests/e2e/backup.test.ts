/**
 * Backups through the command line, on both databases: what a server has accepted is there after a
 * restore, and a restore that fails or is killed changes nothing.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { JsonObject } from '@amodal/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Door } from '../security/support/door.ts'
import {
  amodal,
  backUp,
  fileIn,
  forge,
  history,
  move,
  onPostgres,
  open,
  rowsOf,
  say,
  withEntries,
} from '../support/backups.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { Amodal } from './server.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

interface Kind {
  readonly name: string
  readonly manifest: () => Promise<JsonObject>
}
const KINDS: readonly Kind[] = [
  { name: 'PGlite', manifest: async () => ({}) },
  { name: 'Postgres', manifest: async () => onPostgres(await postgres.createDatabase()) },
]

/** An empty database in the place of the one that there is. */
async function wipe(door: Door, kind: Kind): Promise<void> {
  await rm(join(door.dir, '.amodal/store-data'), { recursive: true, force: true })
  await move(door, await kind.manifest())
}

describe.each(KINDS)('on $name', (kind) => {
  test('a session goes on with its history after backup, loss and restore', async () => {
    await using door = await open(await kind.manifest())
    const session = await say(door, 'the word is marzipan')
    await door.running.close('test')
    await backUp(door)
    expect((await stat(fileIn(door))).mode & 0o077).toBe(0)

    await wipe(door, kind)
    const restored = await amodal(door.dir, 'ops', 'restore', fileIn(door))
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(await amodal(door.dir, 'ops', 'audit', 'verify')).toMatchObject({ code: 0 })

    await door.restart()
    expect(await history(door, session)).toContain('the word is marzipan')
    await say(door, 'and now?', session)
    expect(JSON.stringify(door.model.requests.at(-1)?.body)).toContain('the word is marzipan')
    const other = await say(door, 'another conversation')
    expect(await history(door, other)).not.toContain('marzipan')
    expect(await history(door, session)).not.toContain('another conversation')
    await door.running.close('test')
    expect(await amodal(door.dir, 'ops', 'audit', 'verify')).toMatchObject({ code: 0 })
  })

  test('a database that holds data is kept, or replaced where that is wanted', async () => {
    await using door = await open(await kind.manifest())
    const session = await say(door, 'said before the backup')
    await door.running.close('test')
    await backUp(door)
    await door.restart()
    const later = await say(door, 'said after the backup')
    await door.running.close('test')

    const refused = await amodal(door.dir, 'ops', 'restore', fileIn(door))
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toMatch(/^DATABASE_NOT_EMPTY: .*sessions_.*--replace/)
    expect(await amodal(door.dir, 'ops', 'restore', fileIn(door), '--replace')).toMatchObject({
      code: 0,
    })
    await door.restart()
    expect(await history(door, session)).toContain('said before the backup')
    expect(await history(door, later)).not.toContain('said after the backup')
    expect(await history(door, later)).toContain('SESSION_NOT_FOUND')
  })

  test('a file that is cut off, changed or none is refused, and nothing is changed', async () => {
    await using door = await open(await kind.manifest())
    const session = await say(door, 'keep me as I am')
    await door.running.close('test')
    await backUp(door)
    const bytes = await readFile(fileIn(door))
    const text = gunzipSync(bytes).toString()
    const lines = text.trimEnd().split('\n')
    const files: Readonly<Record<string, Buffer>> = {
      'cut off': bytes.subarray(0, bytes.length - 40),
      'cut off between two lines': gzipSync(`${lines.slice(0, -1).join('\n')}\n`),
      'a value was changed': gzipSync(text.replace('keep me as I am', 'keep me as I was')),
      'a row is missing': gzipSync(
        `${lines.filter((line) => !line.includes('keep me')).join('\n')}\n`,
      ),
      'no backup': Buffer.from('hello'),
      'another gzip file': gzipSync('{"hello":1}\n'),
    }
    for (const [about, content] of Object.entries(files)) {
      await writeFile(`${fileIn(door)}.bad`, content)
      const refused = await amodal(door.dir, 'ops', 'restore', `${fileIn(door)}.bad`, '--replace')
      expect(refused.code, about).toBe(1)
      expect(refused.err, about).toMatch(/^BACKUP_REFUSED: /)
    }
    await door.restart()
    expect(await history(door, session)).toContain('keep me as I am')
  })

  test('a backup of a newer release is refused as a start refuses its database', async () => {
    await using door = await open(await kind.manifest())
    const session = await say(door, 'still here')
    await door.running.close('test')
    await backUp(door)
    const newer = `${fileIn(door)}.newer`
    await forge(fileIn(door), newer, ([header, ...others]) => [
      {
        ...header,
        migrations: [
          ...((header?.['migrations'] ?? []) as JsonObject[]),
          { plugin: 'feedback', n: 99, name: 'of tomorrow', checksum: 'x' },
        ],
      },
      ...others,
    ])
    const refused = await amodal(door.dir, 'ops', 'restore', newer, '--replace')
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(/^MIGRATION_UNKNOWN: .*of tomorrow/)
    await door.restart()
    expect(await history(door, session)).toContain('still here')
  })

  test('rows that cannot be put anywhere are refused', async () => {
    await using door = await open(await kind.manifest())
    await say(door, 'hello')
    await door.running.close('test')
    await backUp(door)
    const renamed = (plugin: string) => (line: JsonObject) => {
      const text = JSON.stringify(line).replaceAll('"sessions_journal"', '"sessions_other"')
      return JSON.parse(
        text
          .replace(
            '"name":"sessions_other","plugin":"sessions"',
            `"name":"sessions_other","plugin":"${plugin}"`,
          )
          .replace(
            '"plugin":"sessions","name":"sessions_other"',
            `"plugin":"${plugin}","name":"sessions_other"`,
          ),
      ) as JsonObject // it was one before
    }
    const other = `${fileIn(door)}.other`
    await forge(fileIn(door), other, (lines) => lines.map(renamed('sessions')))
    const refused = await amodal(door.dir, 'ops', 'restore', other, '--replace')
    expect(refused.err).toMatch(/^BACKUP_REFUSED: .*sessions_other, which its migrations/)
    await forge(fileIn(door), other, (lines) => lines.map(renamed('of-a-stranger')))
    const strange = await amodal(door.dir, 'ops', 'restore', other, '--replace')
    expect(strange.err).toMatch(/^MIGRATION_UNKNOWN: .*of-a-stranger.*list it in amodal\.json/)
    expect([refused.code, strange.code]).toEqual([1, 1])
  })

  test('a restore that is killed changes nothing', async () => {
    await using door = await open(await kind.manifest())
    const small = await say(door, 'said first')
    await door.running.close('test')
    await backUp(door)
    const big = `${fileIn(door)}.big`
    await forge(fileIn(door), big, withEntries(40_000))

    const restore = new Amodal(['ops', 'restore', big, '--replace', '--dir', door.dir])
    await restore.says(/sessions_lane: 1/)
    expect(await restore.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    expect(restore.out).not.toContain('sessions_journal')

    await door.restart()
    expect(await history(door, small)).toContain('said first')
    await door.running.close('test')
    const after = `${fileIn(door)}.after`
    await backUp(door, after)
    expect(await rowsOf(after, 'sessions_journal')).toBe(
      await rowsOf(fileIn(door), 'sessions_journal'),
    )
    expect(await amodal(door.dir, 'ops', 'restore', big, '--replace')).toMatchObject({ code: 0 })
    await door.restart()
    expect(await history(door, small)).toContain('said first')
  }, 120_000)
})
