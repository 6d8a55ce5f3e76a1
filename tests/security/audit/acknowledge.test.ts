/**
 * An operator says of a finding that it is known. That covers the finding as it was, and nothing
 * else: whatever is changed afterwards, at the same place too, fails the check again.
 */
import { generateKeyPairSync, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonical, type JsonObject, sha256 } from '@amodal/sdk'
import { type ModelServer, reply, startModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../../support/postgres.ts'
import { type Said, World } from './world.ts'

const MINE = "tenant = 'local'"
const OTHER_TEXT = `update audit_line set body = replace(body, '"data":{', '"data":{"more":1,') where ${MINE} and n = 3`

let model: ModelServer
let postgres: Postgres
let sound: World
beforeAll(async () => {
  ;[model, postgres] = await Promise.all([
    startModelServer({ script: reply.text('Hello there.') }),
    startPostgres(),
  ])
  sound = await World.make(model, postgres)
  await sound.talk()
  await sound.talk()
})
afterAll(async () => {
  await sound[Symbol.asyncDispose]()
  await Promise.all([model.close(), postgres.stop()])
})

/** IDs of findings that are not acknowledged. */
const open = ({ said }: Said): readonly string[] =>
  said
    .split('\n')
    .filter((line) => line.startsWith('✗'))
    .flatMap((line) => /\[(\d+:[0-9a-f]{32})\]$/.exec(line)?.[1] ?? [])

const acknowledge = (world: World, id: string, ...more: readonly string[]): Promise<Said> =>
  world.ops(
    'audit',
    'acknowledge',
    id,
    '--reason',
    'put back by hand, ticket 4417',
    '--principal',
    'jwt:olga',
    ...more,
  )

async function acknowledgeAll(world: World): Promise<readonly string[]> {
  const ids = open(await world.verify())
  for (const id of ids)
    expect(await acknowledge(world, id)).toMatchObject({
      code: 0,
      said: expect.stringContaining('✓ local: acknowledged:') as string,
    })
  return ids
}

const expectFound = async (world: World, what: RegExp): Promise<readonly string[]> => {
  const verified = await world.verify()
  expect(verified).toMatchObject({ code: 1, said: expect.stringMatching(what) as string })
  return open(verified)
}

const expectSound = async (world: World, ...argv: readonly string[]): Promise<string> => {
  const { code, said } = await world.verify(...argv)
  expect(said).not.toContain('✗')
  expect(code).toBe(0)
  return said
}

interface Row {
  readonly n: number
  readonly key: string
  readonly body: string
  readonly hash: string
}

const rowsOf = async (world: World, where: string): Promise<readonly Row[]> =>
  (await world.sql(
    `select n::int as n, key, body, hash from audit_line where ${where} order by n`,
  )) as unknown as readonly Row[] // as selected

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Adds a line to the end of the chain, as somebody who has the database and no key. */
async function addLine(world: World, said: JsonObject & { readonly key: string }): Promise<void> {
  const last = (await rowsOf(world, MINE)).at(-1)
  if (!last) throw new Error('the chain is empty')
  const n = last.n + 1
  const body = canonical({ v: 1, tenant: 'local', at: '2026-01-01T00:00:00.000Z', ...said, n })
  const hash = sha256(`${last.hash}\n${body}`)
  await world.sql(
    `insert into audit_line(tenant, n, key, session, body, hash) values ('local', ${n}, ${quoted(said.key)}, null, ${quoted(body)}, ${quoted(hash)})`,
    `update audit_head set n = ${n}, hash = ${quoted(hash)} where ${MINE}`,
  )
}

test('a finding that is acknowledged is still listed, and fails the check no more', async () => {
  await using world = await sound.copy()
  await world.sql(OTHER_TEXT)
  const [id = ''] = await expectFound(world, /✗ local: line 3 was changed.* \[3:[0-9a-f]{32}\]/)

  expect(await acknowledge(world, id)).toMatchObject({ code: 0 })
  for (const argv of [[], ['--checkpoints', world.outside], ['--tenant', 'local']])
    expect(await expectSound(world, ...argv)).toMatch(
      new RegExp(
        `! local: line 3 was changed.* \\[${id}\\]; acknowledged by jwt:olga on .*, in line \\d+: put back by hand, ticket 4417\n✓ local: \\d+ lines, \\d+ checkpoints, 1 acknowledged`,
      ),
    )
  expect((await world.ops('audit', 'show')).said).toMatch(
    /local \d+ {2}\S+ {2}audit_acknowledged {2}jwt:olga /,
  )

  // Said once is enough, and a server that goes on changes nothing of it.
  expect((await acknowledge(world, id)).said).toMatch(/line \d+ acknowledges this finding already/)
  await world.talk()
  await expectSound(world)
  // The file has the line as it was, and what was acknowledged since.
  expect(await expectSound(world, '--file', world.file)).toMatch(
    /acknowledges a finding that is not there, or has changed since/,
  )
})

test('an export shows the same finding, and the same acknowledgement', async () => {
  await using world = await sound.copy()
  await world.sql(OTHER_TEXT)
  const ids = await acknowledgeAll(world)
  const file = join(world.home, 'export.jsonl')
  await writeFile(file, (await world.ops('audit', 'export')).said)
  expect(await expectSound(world, '--file', file)).toContain(`[${ids[0] ?? ''}]; acknowledged by`)
})

test('only what verify finds can be acknowledged, by somebody and for a reason', async () => {
  await using world = await sound.copy()
  await world.sql(OTHER_TEXT)
  const [id = ''] = await expectFound(world, /line 3 was changed/)
  const missing = { code: 1, said: expect.stringContaining('NOT_FOUND: there is no') as string }
  for (const wrong of [id.replace('3:', '4:'), `${id.slice(0, -1)}x`, '3:', 'line 3'])
    expect(await acknowledge(world, wrong)).toMatchObject(missing)
  expect(await acknowledge(world, id, '--tenant', 'acme')).toMatchObject(missing)
  for (const argv of [
    [],
    [id],
    [id, '--reason', 'known'],
    [id, '--principal', 'jwt:olga'],
    [id, '--principal', 'jwt:olga', '--reason', ' '],
    [id, '--principal', 'jwt:olga', '--reason', 'two\nlines'],
    [id, '--principal', '', '--reason', 'known'],
  ])
    expect(await world.ops('audit', 'acknowledge', ...argv)).toMatchObject({ code: 2 })
  expect(await rowsOf(world, "key like 'audit_acknowledged%'")).toEqual([])
  expect(open(await world.verify())).toEqual([id])
})

describe('what is changed after an acknowledgement is found', () => {
  const again = [
    ['the same line, once more', OTHER_TEXT, OTHER_TEXT.replace('"more":1', '"again":1')],
    ['the same line, put back to what it was', OTHER_TEXT, undefined],
    ['another line', OTHER_TEXT, OTHER_TEXT.replace('n = 3', 'n = 5')],
    [
      'the line before one that is missing',
      `delete from audit_line where ${MINE} and n = 4`,
      `delete from audit_line where ${MINE} and n = 3`,
    ],
    [
      // Its hash cannot be compared with that of the line before.
      'the text of the line behind one that is missing',
      `delete from audit_line where ${MINE} and n = 4`,
      OTHER_TEXT.replace('n = 3', 'n = 5'),
    ],
    [
      'the column of a session',
      `update audit_line set session = 'x' where ${MINE} and n = 3`,
      `update audit_line set session = 'y' where ${MINE} and n = 3`,
    ],
    [
      'a text that was taken away',
      `update audit_line set body = '', session = null, key = 'erased:3' where ${MINE} and n = 3`,
      `update audit_line set body = '', session = null, key = 'erased:4' where ${MINE} and n = 4`,
    ],
    [
      'the acknowledgement',
      OTHER_TEXT,
      `update audit_line set body = replace(body, '4417', '4418') where ${MINE} and key like 'audit_acknowledged%'`,
    ],
  ] as const

  test.each(again)('%s', async (_name, first, then) => {
    await using world = await sound.copy()
    const before = await rowsOf(world, `${MINE} and n = 3`)
    await world.sql(first)
    const known = await acknowledgeAll(world)
    expect(known.length).toBeGreaterThan(0)
    await expectSound(world)
    if (then === undefined) {
      // Nothing is wrong any more, and what was said of it has no subject.
      await world.sql(
        `update audit_line set body = ${quoted(before[0]?.body ?? '')} where ${MINE} and n = 3`,
      )
      expect(await expectSound(world)).toContain('or has changed since')
      return
    }
    await world.sql(then)
    expect(await expectFound(world, /✗ local: line/)).not.toEqual(known)
  })

  test('an end that nobody has sealed, for the second time', async () => {
    await using world = await sound.copy()
    for (const round of [1, 2]) {
      await addLine(world, { key: `forged:${round}`, kind: 'tool_call', data: {} })
      await world.talk()
      await expectFound(world, /on \S+ the chain ended with a line that nobody had sealed/)
      expect(await acknowledgeAll(world)).toHaveLength(1)
      expect(await expectSound(world)).toContain(`, ${round} acknowledged`)
    }
  })

  test('a text that an erasure names which was forged, and acknowledged before it was used', async () => {
    await using world = await sound.copy()
    const [line] = await rowsOf(world, `${MINE} and n = 3`)
    const digest = sha256(`3:${line?.hash ?? ''}\n`)
    const data = { lines: 1, erased: [[3, 3]], digest }
    await addLine(world, { key: 'erasure:forged', kind: 'erasure', data })
    await world.talk()
    await expectFound(world, /are not those that were emptied/)
    const known = await acknowledgeAll(world)
    expect(known).toHaveLength(2)
    await expectSound(world)
    await world.sql(
      `update audit_line set body = '', session = null, key = 'erased:3' where ${MINE} and n = 3`,
    )
    const found = await expectFound(world, /is an erasure that no key that is known has signed/)
    expect(known).not.toContain(found[0])
  })

  test('checkpoints that are gone, for the second time', async () => {
    await using world = await sound.copy()
    const manifest = join(world.dir, 'amodal.json')
    const text = await readFile(manifest, 'utf8')
    await writeFile(manifest, text.replace(',"checkpoints":"../outside"', ''))
    const file = join(world.audit, 'checkpoints.jsonl')
    const [first = ''] = (await readFile(file, 'utf8')).split('\n')
    // With this one the chains end in lines that were sealed when there were two checkpoints. What
    // was sealed when there was one looks as if a kill had come before the second.
    await world.talk()
    for (const round of [1, 2]) {
      await writeFile(file, `${first}\n`)
      await world.talk()
      const found = await expectFound(world, /checkpoint \d+ was missing, and the file ended at 1/)
      for (const id of found) expect(await acknowledge(world, id)).toMatchObject({ code: 0 })
      // A chain whose end was sealed before the second checkpoint misses none.
      expect(await expectSound(world)).toMatch(new RegExp(`✓ local: .*, ${round} acknowledged`))
    }
  })
})

describe('an acknowledgement that somebody without the key has made', () => {
  const newKey = generateKeyPairSync('ed25519')
  const stranger = newKey.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

  const forge = (id: string): JsonObject & { readonly key: string } => {
    const said = {
      finding: id,
      text: 'line 3 was changed, or what stood before it was',
      reason: 'nothing to see here',
      key: stranger,
    }
    const at = '2026-01-01T00:00:00.000Z'
    const signed = { v: 1, kind: 'acknowledgement', tenant: 'local', ...said, principal: 'me', at }
    const signature = sign(null, Buffer.from(canonical(signed)), newKey.privateKey)
    return {
      key: `audit_acknowledged:${id}`,
      kind: 'audit_acknowledged',
      principal: 'me',
      at,
      data: { ...said, signature: signature.toString('base64') },
    }
  }

  test('counts for nothing, whoever goes on with the chain', async () => {
    await using world = await sound.copy()
    await world.sql(OTHER_TEXT)
    const [id = ''] = await expectFound(world, /line 3 was changed/)
    await addLine(world, forge(id))
    await expectFound(world, /not sealed/)
    await world.talk()
    const found = await expectFound(
      world,
      /acknowledges a finding, and no key that is known has signed it: it counts for nothing/,
    )
    expect(found).toContain(id)
    // Nor once somebody has acknowledged that the chain ended with it.
    for (const other of found.filter((one) => one !== id)) await acknowledge(world, other)
    expect(await expectFound(world, /line 3 was changed/)).toEqual([id])
    // One that is signed counts, though the other came first.
    await acknowledge(world, id)
    await expectSound(world)
  })

  test('counts for nothing either with a list of signers in the agent folder that has the key', async () => {
    await using world = await sound.copy()
    await world.sql(OTHER_TEXT)
    const [id = ''] = await expectFound(world, /line 3 was changed/)
    await writeFile(
      join(world.audit, 'signers'),
      `${await readFile(join(world.audit, 'signers'), 'utf8')}${stranger}\n`,
    )
    await addLine(world, forge(id))
    await world.talk()
    expect(await expectFound(world, /no key that is known has signed it/)).toContain(id)
  })

  test('is not had by giving one that is signed another finding', async () => {
    await using world = await sound.copy()
    await world.sql(OTHER_TEXT)
    const known = await acknowledgeAll(world)
    await world.sql(OTHER_TEXT.replace('n = 3', 'n = 5'))
    const [id = ''] = await expectFound(world, /line 5 was changed/)
    const [line] = await rowsOf(world, "key like 'audit_acknowledged%'")
    const said = JSON.parse(line?.body ?? '{}') as JsonObject // one of the server
    await addLine(world, { ...said, key: 'copied', data: { ...Object(said['data']), finding: id } })
    await world.talk()
    expect(await expectFound(world, /counts for nothing/)).toContain(id)
    expect(await expectFound(world, /line 5 was changed/)).not.toContain(known[0])
  })
})

test('what is wrong with the end of a chain cannot be acknowledged: the next line would change it', async () => {
  await using world = await sound.copy()
  await world.sql(
    `delete from audit_line where ${MINE} and n > 4`,
    `update audit_head set n = 4, hash = (select hash from audit_line where ${MINE} and n = 4) where ${MINE}`,
  )
  expect(
    await expectFound(world, /✗ local: line \d+ was signed, and the chain ends at 4|it was cut/),
  ).toEqual([])
})

test('an acknowledgement covers no lines of a server that was killed, without saying so', async () => {
  await using world = await sound.copy()
  await world.talkAndDie()
  await world.sql(OTHER_TEXT)
  await expectFound(world, /are in no checkpoint/)
  await acknowledgeAll(world)
  expect(await expectSound(world)).toMatch(
    /! local: line \d+: lines \d+ to \d+ had no checkpoint, since their process died/,
  )
})

test('nobody acknowledges anything where the checkpoints are gone: a new key would sign it', async () => {
  await using world = await sound.copy()
  await world.sql(OTHER_TEXT)
  const [id = ''] = await expectFound(world, /line 3 was changed/)
  await writeFile(join(world.audit, 'checkpoints.jsonl'), '')
  expect(await acknowledge(world, id)).toMatchObject({
    code: 1,
    said: expect.stringContaining('there are no checkpoints') as string,
  })
})

test('with the erasure of whoever gave it an acknowledgement goes, and the finding is open again', async () => {
  await using world = await sound.copy()
  await world.sql(OTHER_TEXT)
  const ids = await acknowledgeAll(world)
  expect(await world.ops('erase', '--principal', 'jwt:olga')).toMatchObject({ code: 0 })
  expect(await expectFound(world, /line 3 was changed/)).toEqual(ids)
  await acknowledgeAll(world)
  await expectSound(world)
})
