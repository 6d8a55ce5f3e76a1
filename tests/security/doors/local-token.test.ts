/**
 * On a machine where nobody is asked who they are, other processes may talk to the agent, and
 * decide nothing.
 */
import { chmod, lstat, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { use, type JsonObject } from '@amodal/sdk'
import { LOCAL_TOKEN_FILE } from '@amodal/sdk/files'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions, type Heard } from '../support/door.ts'
import { pay } from '../support/pay.ts'

const OTHER = `amodal_${'a'.repeat(12)}_${'b'.repeat(43)}`
const script: DoorOptions['script'] = (request) =>
  request.messages.at(-1)?.role === 'tool'
    ? reply.text('done')
    : reply.toolCalls([{ id: 'call_1', name: 'pay', arguments: { amount: 7 } }])

async function paying(
  options: Partial<DoorOptions> = {},
): Promise<{ readonly door: Door; readonly paid: readonly number[] }> {
  const { plugin, paid } = pay('confirm')
  return { door: await openDoor({ script, ...options, entries: [use(plugin)] }), paid }
}

async function waiting(
  door: Door,
  headers: Record<string, string>,
): Promise<{ readonly session: string; readonly id: string }> {
  const { status, body } = await door.say('pay 7', {}, headers)
  expect(status).toBe(202)
  const [pending] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
  return { session: textIn(body, 'session_id'), id: textIn(pending, 'id') }
}

const fileOf = ({ dir }: Door): string => join(dir, LOCAL_TOKEN_FILE)

test('whoever has not the token of the server may ask, and decides nothing', async () => {
  const { door, paid } = await paying()
  await using _ = door
  const token = door.token
  const { session, id } = await waiting(door, {})
  const strangers: readonly Record<string, string>[] = [
    {},
    { authorization: `Bearer ${OTHER}` },
    { 'x-api-key': OTHER },
    { authorization: 'Bearer nothing' },
    { authorization: token },
    { cookie: `token=${token}` },
    { authorization: `Bearer ${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` },
    { authorization: `Bearer ${token}`, 'x-api-key': OTHER },
  ]
  const attempts: readonly ((headers: Record<string, string>) => Promise<Heard>)[] = [
    (headers) => door.answer({ session_id: session, id, approved: true }, headers),
    (headers) => door.answer({ session_id: session, responses: [{ id, approved: true }] }, headers),
    (headers) =>
      door.post(`/chat/sessions/${session}/ask-user-response`, { id, approved: true }, headers),
    (headers) =>
      door.post(`/sessions/${session}/calls/call_1/outcome`, { outcome: 'happened' }, headers),
    (headers) => door.post(`/sessions/${session}/retry`, {}, headers),
  ]
  for (const headers of strangers) {
    for (const attempt of attempts) {
      const said = await attempt(headers)
      expect([said.status, said.body], JSON.stringify(headers)).toEqual([
        401,
        {
          error: {
            code: 'UNAUTHENTICATED',
            message: expect.stringContaining(LOCAL_TOKEN_FILE) as string,
          },
        },
      ])
      expect(said.text).not.toContain(token)
    }
    expect((await door.get(`/sessions/${session}`, headers)).status).toBe(200)
  }
  expect(paid).toEqual([])
  expect(
    (
      await door.answer(
        { session_id: session, id, approved: true },
        { authorization: `Bearer ${token}` },
      )
    ).status,
  ).toBe(200)
  await expect.poll(() => paid).toEqual([7])
  expect(door.log.join('\n')).not.toContain(token)
})

test("the token is its owner's alone, and outlives a restart", async () => {
  const { door, paid } = await paying()
  await using _ = door
  const token = door.token
  expect(await readFile(fileOf(door), 'utf8')).toBe(token)
  expect([
    (await lstat(fileOf(door))).mode & 0o777,
    (await lstat(join(door.dir, '.amodal'))).mode & 0o077,
  ]).toEqual([0o600, 0])
  const { session, id } = await waiting(door, {})
  await door.restart()
  expect(door.token).toBe(token)
  expect(
    (await door.answer({ session_id: session, id, approved: true }, { 'x-api-key': token })).status,
  ).toBe(200)
  await expect.poll(() => paid).toEqual([7])
})

test.each<readonly [what: string, spoil: (file: string) => Promise<void>]>([
  ['that others could read', (file) => chmod(file, 0o644)],
  [
    'that is a link to another file',
    async (file) => {
      await writeFile(`${file}.elsewhere`, OTHER, { mode: 0o600 })
      await rm(file)
      await symlink(`${file}.elsewhere`, file)
    },
  ],
  ['that is none', (file) => writeFile(file, 'password')],
  ['that is empty', (file) => writeFile(file, '')],
])('a token %s is not believed: the next start makes another one', async (_, spoil) => {
  const { door } = await paying()
  await using _door = door
  const before = door.token
  await spoil(fileOf(door))
  await door.restart()
  const now = door.token
  expect([before, OTHER, '']).not.toContain(now)
  expect([
    await readFile(fileOf(door), 'utf8'),
    (await lstat(fileOf(door))).isFile(),
    (await lstat(fileOf(door))).mode & 0o777,
  ]).toEqual([now, true, 0o600])
})

test('where everybody is asked who they are the token is none, and their own credential decides', async () => {
  const key = `amodal_${'k'.repeat(12)}_${'k'.repeat(43)}`
  const { door, paid } = await paying({ env: { AMODAL_API_KEYS: key } })
  await using _ = door
  expect(door.token).toBe('')
  const mine = { authorization: `Bearer ${key}` }
  const { session, id } = await waiting(door, mine)
  expect((await door.answer({ session_id: session, id, approved: true }, {})).status).toBe(401)
  expect((await door.answer({ session_id: session, id, approved: true }, mine)).status).toBe(200)
  await expect.poll(() => paid).toEqual([7])
})

test('`localToken: false` of the plugin "auth" lets everybody on the machine decide', async () => {
  const { door, paid } = await paying({ manifest: { plugins: [['auth', { localToken: false }]] } })
  await using _ = door
  const { session, id } = await waiting(door, {})
  expect((await door.answer({ session_id: session, id, approved: true }, {})).status).toBe(200)
  await expect.poll(() => paid).toEqual([7])
})
