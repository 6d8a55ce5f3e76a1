import { createHash } from 'node:crypto'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  err,
  failure,
  ok,
  sessionId,
  tenantId,
  unwrap,
  type ArchivableSession,
  type Failure,
  type Result,
} from '@amodal/sdk'
import { pluginContract } from '@amodal/sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileArchive } from '../src/file-archive.ts'
import { placesIn, verifyFile } from '../src/file-reader.ts'
import { sessionArchive } from '../src/index.ts'
import { placeOf, safeName } from '../src/place.ts'

pluginContract(sessionArchive, { config: {} })

const signal = new AbortController().signal
const DAY = Date.parse('2026-03-04T05:06:07Z')
const body = (seq: number): string =>
  JSON.stringify({ v: 1, kind: 'user_message', principal: seq === 2 ? 'jwt:bob' : 'jwt:ann' })

function sessionWith(
  entries: number,
  more: { readonly session?: string; readonly fails?: boolean } = {},
): ArchivableSession {
  const { session = 'sess_1', fails = false } = more
  return {
    tenant: tenantId('acme'),
    session: sessionId(session),
    row: {
      session: sessionId(session),
      kind: 'chat',
      title: 'Hello',
      tags: [],
      principal: 'jwt:ann',
      status: 'idle',
      messageCount: entries,
      inputTokens: 1,
      outputTokens: 2,
      model: undefined,
      provider: undefined,
      lastEnd: undefined,
      cost: undefined,
      parent: undefined,
      forkedAt: undefined,
      createdAt: DAY,
      updatedAt: DAY,
      head: entries,
      state: '{}',
      meta: '{"app":"x"}',
      unknownEffects: 0,
    },
    async *entries() {
      for (let seq = 1; seq <= entries; seq++)
        yield ok([{ seq, body: body(seq), ...(seq === 1 && { sealed: 'v1.k.SEALED' }) }])
      if (fails) yield err(failure('STORE_FAILED', 'the database is away'))
    },
  }
}

const value = <T>(result: Result<T, Failure>): T => unwrap(result, ({ message }) => message)

let folder: string
let archive: FileArchive
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'amodal-archive-'))
  archive = new FileArchive(folder)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function places(): Promise<readonly string[]> {
  const found: string[] = []
  for await (const place of placesIn(folder, undefined)) found.push(place)
  return found
}
const fileOf = (place: string): string => join(folder, place)

describe('a file', () => {
  it('has the history, sealed parts as they are, and its hash', async () => {
    const { place, sha256 } = value(await archive.keep(sessionWith(3), signal))
    expect(place).toBe('acme/2026/03/04/sess_1.jsonl.gz')
    const text = gunzipSync(await readFile(fileOf(place))).toString()
    const lines = text.trimEnd().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      tenant: 'acme',
      session: 'sess_1',
      principal: 'jwt:ann',
      others: ['jwt:bob'],
      head: 3,
      meta: { app: 'x' },
    })
    expect(lines.slice(1, -1).map((line) => JSON.parse(line) as unknown)).toEqual([
      { seq: 1, body: body(1), sealed: 'v1.k.SEALED' },
      { seq: 2, body: body(2) },
      { seq: 3, body: body(3) },
    ])
    const before = `${lines.slice(0, -1).join('\n')}\n`
    expect(createHash('sha256').update(before).digest('hex')).toBe(sha256)
    expect(value(await verifyFile(fileOf(place), place))).toMatchObject({ entries: 3, sha256 })
    expect(await readdir(join(folder, '.drafts'))).toEqual([])
  })

  it('is the same a second time, and from several at once', async () => {
    const kept = await Promise.all(
      Array.from({ length: 8 }, () => new FileArchive(folder).keep(sessionWith(20), signal)),
    )
    const once = await readFile(fileOf(value(kept[0]!).place))
    expect(new Set(kept.map((one) => JSON.stringify(value(one)))).size).toBe(1)
    value(await archive.keep(sessionWith(20), signal))
    expect(await places()).toHaveLength(1)
    expect(await readFile(fileOf(value(kept[0]!).place))).toEqual(once)
  })

  it('is replaced where it is damaged, and never by a shorter history', async () => {
    const { place } = value(await archive.keep(sessionWith(3), signal))
    expect(await archive.keep(sessionWith(2), signal)).toMatchObject({ ok: false })
    expect(value(await verifyFile(fileOf(place), place)).entries).toBe(3)
    await truncate(fileOf(place), 5)
    value(await archive.keep(sessionWith(2), signal))
    expect(value(await verifyFile(fileOf(place), place)).entries).toBe(2)
  })

  it('is not there where the history cannot be read', async () => {
    expect(await archive.keep(sessionWith(3, { fails: true }), signal)).toMatchObject({
      ok: false,
      error: { code: 'ARCHIVE_FAILED', message: expect.stringContaining('away') as string },
    })
    expect(await places()).toEqual([])
    expect(await readdir(join(folder, '.drafts'))).toEqual([])
  })

  it('is not there where the folder cannot be written', async () => {
    await writeFile(join(folder, 'acme'), 'a file is in the way')
    expect(await archive.keep(sessionWith(1), signal)).toMatchObject({
      ok: false,
      error: { code: 'ARCHIVE_FAILED' },
    })
    expect(await readFile(join(folder, 'acme'), 'utf8')).toBe('a file is in the way')
  })

  it('is not taken for whole when it is cut off, changed or moved', async () => {
    const { place } = value(await archive.keep(sessionWith(3), signal))
    const path = fileOf(place)
    const whole = await readFile(path)
    const text = gunzipSync(whole).toString()
    const wrong = {
      'it was changed': gzipSync(text.replace('jwt:bob', 'jwt:eve')),
      'it is cut off': gzipSync(text.trimEnd().split('\n').slice(0, -1).join('\n')),
      'unexpected end of file': whole.subarray(0, -20),
      'no header': gzipSync('nothing'),
      'incorrect header check': Buffer.from('no gzip'),
    }
    for (const [why, bytes] of Object.entries(wrong)) {
      await writeFile(path, bytes)
      expect(await verifyFile(path, place), why).toMatchObject({
        ok: false,
        error: { code: 'UNREADABLE', message: expect.stringContaining(why) as string },
      })
    }
    const moved = place.replace('/04/', '/05/')
    await mkdir(dirname(fileOf(moved)), { recursive: true })
    await writeFile(fileOf(moved), whole)
    expect(await verifyFile(fileOf(moved), moved)).toMatchObject({
      error: { message: expect.stringContaining('it belongs at acme/2026/03/04') as string },
    })
  })
})

describe('names', () => {
  it('stay below the folder, and apart', () => {
    const ids = ['..', '.', '../../etc', 'a/b', 'a\\b', 'con', 'a b', 'ä', '', 'a'.repeat(500)]
    const names = ids.map(safeName)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_%-]{0,160}$/)
    expect(new Set(names).size).toBe(ids.length)
    expect(safeName('b'.repeat(501))).not.toBe(safeName('b'.repeat(502)))
    const ref = { tenant: tenantId('..'), session: sessionId('../x') }
    expect(placeOf(ref, DAY)).toBe('%2E%2E/2026/03/04/%2E%2E%2Fx.jsonl.gz')
  })
})

it('removes drafts of processes that are gone, and none that are being written', async () => {
  const drafts = join(folder, '.drafts')
  await mkdir(drafts)
  await writeFile(join(drafts, 'old'), '')
  await writeFile(join(drafts, 'new'), '')
  await utimes(join(drafts, 'old'), 1, 1)
  await archive.removeDrafts()
  expect(await readdir(drafts)).toEqual(['new'])
})
