/** What is left of a workspace by restarts, other instances and undo. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, type JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'

/** `write a.txt: text`, `read a.txt` or `sh: command`, as the person says. */
const script: Script = ({ messages }) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return reply.text(`Result: ${JSON.stringify(last.content)}`)
  const text = JSON.stringify(last?.content ?? '')
  const [, path = '', content = ''] = /write ([\w./-]+): ([^"\\]*)/.exec(text) ?? []
  if (path !== '') return reply.toolCalls({ name: 'write', arguments: { path, content } })
  const [, read = ''] = /read ([\w./-]+)/.exec(text) ?? []
  if (read !== '') return reply.toolCalls({ name: 'read', arguments: { path: read } })
  return reply.text('Hello.')
}

const open = (): Promise<Door> =>
  openDoor({
    script,
    manifest: { workspace: { source: 'start' } },
    files: { 'start/hello.txt': 'first line\n', 'start/empty/.keep': '' },
    env: { PATH: process.env['PATH'] ?? '' },
  })

interface Shown {
  readonly snapshot: string
  readonly files: readonly { readonly path: string }[]
  readonly snapshots: readonly { readonly id: string; readonly run: string | null }[]
}

const shown = async (door: Door, session: string): Promise<Shown> => {
  const response = await door.get(`/sessions/${session}/workspace`, local(door))
  expect(response.status, response.text).toBe(200)
  return response.body as unknown as Shown // the route's own shape
}
const local = (door: Door): Record<string, string> =>
  door.token === '' ? {} : { authorization: `Bearer ${door.token}` }
const fileOf = async (door: Door, session: string, path: string): Promise<string> =>
  (await door.get(`/sessions/${session}/workspace/files/${path}`, local(door))).text
const say = async (door: Door, message: string, session?: string): Promise<JsonObject> => {
  const response = await door.say(message, session === undefined ? {} : { session_id: session })
  expect(response.status, response.text).toBe(200)
  return response.body
}
const folders = (door: Door): string => join(door.dir, '.amodal/workspaces')

describe('a workspace', () => {
  test('is restored from the database where its folder is lost', async () => {
    await using door = await open()
    const session = textIn(await say(door, 'write notes/a.txt: kept words'), 'session_id')
    await door.running.close('test')
    await rm(folders(door), { recursive: true, force: true })
    await door.restart()
    const read = await say(door, 'read notes/a.txt', session)
    expect(JSON.stringify(read)).toContain('kept words')
    expect(JSON.stringify(await say(door, 'read hello.txt', session))).toContain('first line')
  })

  test('shows its files, and what a run changed', async () => {
    await using door = await open()
    const session = textIn(await say(door, 'write hello.txt: second line'), 'session_id')
    const state = await shown(door, session)
    expect(state.files.map(({ path }) => path)).toEqual(['empty/.keep', 'hello.txt'])
    expect(await fileOf(door, session, 'hello.txt')).toBe('second line')
    const [newest] = state.snapshots
    const diff = await door.get(
      `/sessions/${session}/workspace/diff?run=${newest?.run ?? ''}`,
      local(door),
    )
    expect(diff.body['files']).toEqual([{ path: 'hello.txt', change: 'changed' }])
    expect(textIn(diff.body, 'patch')).toContain('-first line')
    expect(textIn(diff.body, 'patch')).toContain('+second line')
    const missing = await door.get(
      `/sessions/${session}/workspace/files/../amodal.json`,
      local(door),
    )
    expect(missing.status).toBe(404)
  })

  test('is what it was before a run once that is undone', async () => {
    await using door = await open()
    const session = textIn(await say(door, 'write one.txt: 1'), 'session_id')
    await say(door, 'write two.txt: 2', session)
    const undone = await door.post(`/sessions/${session}/workspace/undo`, {}, local(door))
    expect(undone.status, undone.text).toBe(200)
    const state = await shown(door, session)
    expect(state.files.map(({ path }) => path)).toEqual(['empty/.keep', 'hello.txt', 'one.txt'])
    expect(JSON.stringify(await say(door, 'read two.txt', session))).not.toContain('"2')
    expect(JSON.stringify(await say(door, 'read one.txt', session))).toContain('1')
  })

  test('is nobody else’s', async () => {
    await using door = await open()
    const unknown = await door.get('/sessions/sess_unknown/workspace', local(door))
    expect(unknown.status).toBe(404)
    expect(isObject(unknown.body)).toBe(true)
  })
})
