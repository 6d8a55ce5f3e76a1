import { silentLogger, type CommandContext } from '@amodal/sdk'
import { createClient } from '@amodal/sdk/client'
import { expect, test } from 'vitest'
import { boot, type Door, type Json } from './support.ts'

/** Runs `amodal ops feedback` as the command line would, on a server. */
async function run(door: Door, words: readonly string[], options: CommandContext['options'] = {}) {
  const lines: string[] = []
  const errors: string[] = []
  const code = await door.command?.run({
    options: { url: door.url, ...options },
    arguments: words,
    dir: '/',
    env: { AMODAL_API_KEY: 'ann' },
    log: silentLogger,
    start: () => Promise.reject(new Error('it asks the server')),
    signal: new AbortController().signal,
    print: (line) => void lines.push(line),
    write: (text) => void lines.push(text),
    fail: (line) => void errors.push(line),
    input: (async function* () {
      yield* []
    })(),
  })
  return { code, text: lines.join('\n'), lines, errors }
}

test('the client names an answer by what it has at hand', async () => {
  const door = await boot()
  const client = createClient({
    url: door.url,
    headers: { 'x-principal': 'ann', 'x-tenant': 'acme', 'x-scopes': '*' },
  })
  const { session, events } = await client.ask({ text: 'One?' })
  await client.ask({ text: 'Two?', session })
  const done = events.findLast(({ type }) => type === 'done')
  const { messages } = await client.session(session)
  const opinions = [
    await client.feedback({ session, message: done?.frame.seq ?? -1, rating: 'up' }),
    await client.feedback({ session, message: messages[1]?.seq ?? -1, rating: 'down' }),
    await client.feedback({ session, rating: 'up', tags: ['last'] }),
  ]
  expect(opinions[0]?.run_id).toBe(opinions[1]?.run_id)
  expect(opinions[0]?.message_id).toBe(String(messages[1]?.seq))
  expect(opinions[2]?.message_id).toBe(String(messages[3]?.seq))
  expect((await client.feedbackOffer()).comments).toBe(true)
  await expect(client.feedback({ session: 'sess_unknown', rating: 'up' })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
    status: 404,
  })
})

test('the command lists, exports and counts', async () => {
  const door = await boot({ open: true })
  const session = await door.ask('How much?')
  await door.post({ session_id: session, rating: 'down', categories: ['other'], comment: 'Hm.' })
  const listed = await run(door, ['list'], { rating: 'down' })
  expect(listed).toMatchObject({ code: 0, errors: [] })
  expect(listed.text).toMatch(/Given .*\n─+.*\n2\d{3}.* down +other +Hm\. +How much\? +sess_/)
  expect((await run(door, ['list'], { rating: 'up' })).lines).toHaveLength(2)
  const exported = await run(door, ['export'], { format: 'jsonl' })
  expect(exported.lines.map((line) => JSON.parse(line) as Json)).toMatchObject([
    { session_id: session, comment: 'Hm.' },
  ])
  expect((await run(door, ['export'], { format: 'csv' })).lines).toHaveLength(2)
  expect((await run(door, ['stats'])).text).toMatch(/All.*\n.*\n1 +0 +1\n[^]*other +0 +1\n/)
  expect(await run(door, ['list'], { rating: 'meh' })).toMatchObject({
    code: 1,
    errors: [expect.stringMatching(/^VALIDATION_ERROR: rating: /)],
  })
  expect(await run(door, ['burn'])).toMatchObject({ code: 2 })
})
