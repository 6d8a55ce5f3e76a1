import { expect, test } from 'vitest'
import { EventParser, type ParsedEvent } from '@amodal/sdk/client'
import { sampleClient } from './sample-client.ts'
import { served } from './server.ts'

test('the sample client of the specification keeps a conversation', async () => {
  await using server = await served()
  let shown = ''
  const show = (text: string): void => {
    shown += text
  }
  const session = await sampleClient(server.url, 'tool', null, show)
  expect(session).toMatch(/^sess_/)
  expect(shown).toBe(
    'Looking. \n[Calling request...][Result received][widget {"rows":[]}]Two deals.\n',
  )
  shown = ''
  expect(await sampleClient(server.url, 'fail', session, show)).toBe(session)
  expect(shown).toBe('Error: the model said no\n')
})

/** What `EventSource` does with a stream: events by their name. */
async function byName(response: Response): Promise<readonly ParsedEvent[]> {
  const parser = new EventParser()
  const events: ParsedEvent[] = []
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read())
    events.push(...parser.push(next.value))
  return events
}

test('a parser after the standard gets every event by its name, with an id to resume from', async () => {
  await using server = await served()
  const events = await byName(await server.post('/chat/stream', { message: 'tool' }))
  expect(events.map(({ event }) => event)).toEqual([
    'init',
    'text_delta',
    'tool_call_start',
    'tool_call_result',
    'widget',
    'text_delta',
    'done',
  ])
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
})

test('a parser that reads nothing but data lines gets the same', async () => {
  await using server = await served()
  const text = await (await server.post('/chat/stream', { message: 'tool' })).text()
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)))
  expect(events.map(({ type }) => type)).toEqual([
    'init',
    'text_delta',
    'tool_call_start',
    'tool_call_result',
    'widget',
    'text_delta',
    'done',
  ])
  expect(events[2]).toMatchObject({
    tool_name: 'request',
    tool_id: 'c1',
    parameters: { api_key: '[REDACTED]' },
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect(text).not.toContain('sk-planted')
})
