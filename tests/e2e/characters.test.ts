import { join } from 'node:path'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { startApi } from '../security/support/api-server.ts'
import { openDoor, textIn } from '../security/support/door.ts'

/** Half of a character: as an escape, as a unit, or as what a half was replaced by. */
const HALF = /\\ud[89a-f]|\uFFFD/i
const EMOJI = '😀'
/** Two characters of Unicode, and one of people. */
const THUMB = '👍🏽'

const READS = { connection: 'api', method: 'GET', endpoint: '/report' }
const files = (url: string): Readonly<Record<string, object>> => ({
  'connections/api/spec.json': { baseUrl: url },
  'connections/api/access.json': { endpoints: { 'GET /**': { confirm: false, taint: 'ignore' } } },
})

test('a result that is cut ends with a whole character, for the model and for the client', async () => {
  await using api = await startApi(() => ({ body: { text: `x${EMOJI.repeat(40_000)}` } }))
  await using door = await openDoor({
    files: files(api.url),
    script: reply.toolsThenText({ name: 'request', arguments: READS }, 'Done.'),
  })
  const events = await door.stream('Read the report.')
  const sent = JSON.stringify(door.model.requests.at(-1)?.body.messages.at(-1))
  expect(sent).toMatch(/😀[^😀]*(?:cut|truncated)/u)
  expect(sent).not.toMatch(HALF)
  expect(JSON.stringify(events)).toContain(EMOJI)
  expect(JSON.stringify(events)).not.toMatch(HALF)
})

test('a description of an MCP tool that is cut ends with a whole character', async () => {
  for (const [description, end] of [
    [`${'d'.repeat(1_998)}${EMOJI}more`, /d…/],
    [`${'d'.repeat(1_997)}${THUMB}more`, /d…/],
    [`${'d'.repeat(1_998)}e\u0301more`, /d…/],
  ] as const) {
    await using door = await openDoor({
      files: {
        'connections/raw/spec.json': {
          protocol: 'mcp',
          command: process.execPath,
          args: [join(import.meta.dirname, 'raw-mcp-server.ts'), '/dev/null', description],
        },
      },
      script: reply.text('Hello.'),
    })
    await door.say('Hello.')
    const { tools = [] } = door.model.requests.at(-1)?.body ?? {}
    const shown = tools.find(({ function: { name } }) => name === 'raw__read')?.function.description
    expect(shown).toMatch(end)
    expect(JSON.stringify(shown)).not.toMatch(HALF)
  }
})

test('a text that a provider cuts inside of a character is streamed and kept in one piece', async () => {
  await using door = await openDoor({
    script: reply.text(['Fine \ud83d', '\ude00', ' and \ud83d', '\ude00!', ' Half \ud83d']),
  })
  const events = await door.stream('How are you?')
  const text = events
    .flatMap((event) => (event['type'] === 'text_delta' ? [textIn(event, 'content')] : []))
    .join('')
  expect(text).toBe('Fine 😀 and 😀! Half \uFFFD')
  expect(JSON.stringify(events)).not.toMatch(/\\ud[89a-f]/i)
})

test('half a character in the arguments of a call, or in an answer of an API, is repaired where it comes in', async () => {
  await using api = await startApi(() => ({
    headers: { 'content-type': 'application/json' },
    body: '{"name":"half \\ud83d","text":"whole \\ud83d\\ude00 \\\\ud83d"}',
  }))
  await using door = await openDoor({
    files: files(api.url),
    script: reply.toolsThenText(
      {
        name: 'request',
        arguments:
          '{"connection":"api","method":"GET","endpoint":"/report","params":{"q":"\\ud83d"}}',
      },
      'Done.',
    ),
  })
  const first = await door.say('Read the report.')
  expect(first.body['tool_calls']).toMatchObject([{ status: 'success' }])
  expect(api.came.at(-1)?.url).toContain(encodeURIComponent('\uFFFD'))
  const sent = JSON.stringify(door.model.requests.at(-1)?.sent)
  expect(sent).not.toMatch(/(?<!\\)(?:\\\\)*\\ud83d/i)
  expect(sent).toContain('whole 😀')
  await door.say('Thanks.', { session_id: first.body['session_id'] ?? '' })
  expect(JSON.stringify(door.model.requests.at(-1)?.sent)).not.toMatch(/(?<!\\)(?:\\\\)*\\ud83d/i)
})

test('the title of a conversation ends with a whole character', async () => {
  await using door = await openDoor({ script: reply.text('Hello.') })
  const said = await door.say(`${'a'.repeat(79)}${EMOJI} and more`)
  const { text } = await door.get('/sessions', { authorization: `Bearer ${door.token}` })
  expect(said.status).toBe(200)
  expect(text).toContain(`"${'a'.repeat(79)}"`)
  expect(text).not.toMatch(HALF)
})
