import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dbPglite } from '@amodal/plugin-db-pglite'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { Inspector, use } from '@amodal/sdk'
import { EventParser } from '@amodal/sdk/client'
import { inspectionOf } from '@amodal/sdk/inspection'
import { pluginContract, reply, startModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { officeHours } from '../src/index.ts'

pluginContract(officeHours, {
  config: { opens: 8 },
  with: [use(dbPglite, { dataDir: 'memory://' })],
})

const file = fileURLToPath(new URL('../src/index.ts', import.meta.url))
let dir = ''
let url = ''
const model = await startModelServer({
  script: ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? reply.text('Done.')
      : reply.toolCalls({ name: 'leave_note', arguments: { hour: 10, text: 'Ann called' } }),
})
const start = async () => {
  const started = await startFolder({
    dir,
    preset: 'dev',
    env: { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted', AMODAL_API_KEY: 'none' },
    port: 0,
    logLevel: 'none',
  })
  if (!started.ok) throw new Error(explainStart(started.error))
  return started.value
}
let running: Awaited<ReturnType<typeof start>>

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'office-hours-'))
  await writeFile(
    join(dir, 'amodal.json'),
    JSON.stringify({ name: 'front-desk', plugins: [[file, { opens: 8 }]] }),
  )
  running = await start()
  url = `http://127.0.0.1:${running.kernel.scope.get(HttpApp).address()?.port}`
}, 60_000)
afterAll(async () => {
  await running.close()
  await model.close()
  await rm(dir, { recursive: true, force: true })
})

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('its error reaches whoever asks, with its code and its status', async () => {
  const refused = await post('/api/office-hours', { key: 'a', hour: 20, text: 'too late' })
  expect(refused.status).toBe(409)
  expect(await refused.json()).toEqual({
    error: { code: 'OFFICE_CLOSED', message: 'at 20:00 the office is closed' },
  })
})

test('its event is in the stream of the conversation', async () => {
  const turn = await post('/chat/stream', { message: 'Leave a note that Ann called' })
  const events = new EventParser().push(await turn.text())
  const told = events.find(({ event }) => event === 'office-hours.note_taken')
  expect(JSON.parse(told?.data ?? '{}')).toMatchObject({
    type: 'office-hours.note_taken',
    data: { text: 'Ann called' },
  })
})

test('its route keeps what it is given, its view shows it, and its event says so', async () => {
  const stop = new AbortController()
  const heard = await fetch(`${url}/api/events`, { signal: stop.signal })
  const read = (async () => {
    const parser = new EventParser()
    for await (const piece of heard.body ?? [])
      for (const { data } of parser.push(new TextDecoder().decode(piece)))
        if (data.includes('office-hours.note_left')) return JSON.parse(data) as unknown
    return undefined
  })()
  expect((await post('/api/office-hours', { key: 'b', hour: 11, text: 'Ben waits' })).status).toBe(
    201,
  )
  expect(await read).toMatchObject({ type: 'office-hours.note_left', hour: 11 })
  stop.abort()
  const { views } = (await (await fetch(`${url}/api/studio/views`)).json()) as {
    readonly views: readonly { readonly key: string; readonly route: string }[]
  }
  const view = views.find(({ key }) => key === 'office-hours')
  expect(view).toMatchObject({ title: 'Office hours' })
  expect(await (await fetch(`${url}${view?.route}`)).json()).toMatchObject({
    widgets: [
      { widget_type: 'metric', data: { value: 2 } },
      {
        widget_type: 'data-table',
        data: {
          rows: [
            [10, 'Ann called'],
            [11, 'Ben waits'],
          ],
        },
      },
    ],
  })
})

test('what it has is shown by inspect', () => {
  const { registries } = inspectionOf(running.kernel.scope.get(Inspector))
  const keys = (id: string): readonly string[] =>
    registries
      .find((registry) => registry.id === id)
      ?.entries.flatMap(({ key, plugin }) => (plugin === 'office-hours' ? [key] : [])) ?? []
  expect(keys('error-kinds')).toEqual(['OFFICE_CLOSED'])
  expect(keys('event-kinds')).toEqual(['office-hours.note_taken', 'office-hours.note_left'])
  expect(keys('studio-views')).toEqual(['office-hours'])
  expect(keys('commands')).toEqual(['office-hours notes'])
})
