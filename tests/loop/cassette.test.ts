import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import { reply, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door } from '../security/support/door.ts'
import { typed } from './support/looking.ts'

// The real server of the dev preset; the model behind it is there for the recording, and gone for
// the replay.

type Mode = 'record' | 'replay' | 'auto'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'amodal-cassettes-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function withModel<T>(
  folder: string,
  mode: Mode,
  script: Script,
  work: (door: Door, model: ModelServer) => Promise<T>,
  ignore: readonly string[] = [],
): Promise<T> {
  const model = await startModelServer({ script })
  const main = {
    provider: 'openai-compatible',
    model: 'scripted',
    baseUrl: model.url,
    apiKey: 'env:MODEL_API_KEY',
  }
  await using door = await openDoor({
    script: reply.text('not asked'),
    env: { MODEL_API_KEY: SECRET, AMODAL_CASSETTE: mode },
    manifest: {
      models: { main },
      retries: 1,
      backoffMs: 1,
      plugins: [{ use: 'model-cassette', config: { folder, ignore } }],
    },
  })
  if (mode === 'replay') await model.close()
  try {
    return await work(door, model)
  } finally {
    await model.close()
  }
}

const SECRET = 'sk-live-0123456789abcdef'
const CARD = '4111 1111 1111 1111'
const usage = { promptTokens: 1_000, completionTokens: 100 }
/** What is another one in each run. */
const VOLATILE: ReadonlySet<string> = new Set([
  'session_id',
  'sessionId',
  'run_id',
  'duration_ms',
  'timestamp',
  'seq',
  'id',
  'message_id',
  'started_at',
])
const steady = (events: readonly JsonObject[]): readonly JsonObject[] =>
  events
    .map((event) =>
      Object.fromEntries(Object.entries(event).filter(([name]) => !VOLATILE.has(name))),
    )
    // How a guard cuts a text where it has taken something out is the guard's own.
    .reduce<readonly JsonObject[]>((said, event) => {
      const last = said.at(-1)
      if (event['type'] !== 'text_delta' || last?.['type'] !== 'text_delta') return [...said, event]
      const content = `${textIn(last, 'content')}${textIn(event, 'content')}`
      return [...said.slice(0, -1), { ...last, content, delta: content }]
    }, [])

const eventful: Script = [
  reply.httpError(503, { message: 'come back' }),
  reply.toolCalls({ name: 'no_such_tool', arguments: { with: SECRET } }, { usage }),
  reply.text(['half ', 'of it'], {
    ending: { kind: 'error', after: 2, error: { message: 'Overloaded', type: 'overloaded_error' } },
  }),
  reply.text(
    [
      'It is ',
      SECRET.slice(0, 9),
      SECRET.slice(9),
      ', paid with ',
      CARD.slice(0, 7),
      CARD.slice(7),
      '.',
    ],
    { usage },
  ),
]

test('what was recorded is replayed with the model gone: the same events, retries and resets included, nothing that may not be kept; and what was not is an error that names the nearest', async () => {
  const folder = await newFolder()
  const first = await withModel(folder, 'record', eventful, async (door, model) => {
    const events = await door.stream('What do you know?')
    expect(model.count).toBe(4)
    return events
  })
  expect(typed(first, 'done')).toMatchObject([{ reason: 'model_stop' }])
  // Two replies that were counted, and estimates of those that broke off.
  expect(
    Number(/"input_tokens":(\d+)/.exec(JSON.stringify(typed(first, 'done')))?.[1]),
  ).toBeGreaterThan(2_000)
  expect(typed(first, 'reset').length).toBeGreaterThan(0)

  const files = await readdir(folder)
  expect(files).toHaveLength(2)
  const kept = (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join(
    '',
  )
  expect(kept).toContain('What do you know?')
  for (const part of [SECRET, SECRET.slice(9), CARD, 'MODEL_API_KEY'])
    expect(kept).not.toContain(part)
  for (const line of kept.trim().split('\n'))
    expect(() => JSON.parse(line) as unknown).not.toThrow()

  const second = await withModel(folder, 'replay', reply.text('never'), async (door) => {
    const events = await door.stream('What do you know?')
    // From the first take again, for as often as it is asked.
    expect(steady(await door.stream('What do you know?'))).toEqual(steady(events))

    // A request that is not there: no call, no retry, and what differs.
    const missing = await door.stream('What do you know of it?')
    const difference =
      /nearest is [0-9a-f]{16}\.jsonl: message 1 \(user\) was "What do you know\?", and is "What do you know of it\?"$/
    expect(typed(missing, 'error')).toMatchObject([
      { code: 'CASSETTE_MISS', message: expect.stringMatching(difference) as string },
    ])
    expect(typed(missing, 'done')).toMatchObject([{ reason: 'error' }])
    expect(door.log.filter((line) => line.includes('cassette.miss'))).toHaveLength(1)
    expect((await door.get('/health')).body).toMatchObject({ cassette: 'replay' })
    return events
  })
  expect(steady(second)).toEqual(steady(first))
})

test('recorded again, what a model says anew changes its own file, and no byte of the others', async () => {
  const folder = await newFolder()
  const record = async (...said: readonly [string, string]): Promise<readonly string[]> => {
    await withModel(folder, 'record', [reply.text(said[0]), reply.text(said[1])], async (door) => {
      await door.say('one')
      await door.say('two')
    })
    return Promise.all(
      (await readdir(folder)).sort().map((file) => readFile(join(folder, file), 'utf8')),
    )
  }
  const before = await record('a', 'b')
  const after = await record('a', 'c')
  expect(before).toHaveLength(2)
  expect(after.filter((file) => before.includes(file))).toEqual([
    expect.stringContaining('"delta":"a"'),
  ])
})

test('auto: what is there is replayed, the rest is asked once, and failures are not kept; what differs from run to run can be left out', async () => {
  const folder = await newFolder()
  await withModel(
    folder,
    'auto',
    [reply.httpError(503), reply.text('first'), reply.text('second')],
    async (door, model) => {
      const said = async (text: string): Promise<unknown> => (await door.say(text)).body['response']
      const answers = [
        await said('On 2026-01-01, hello'),
        await said('On 2026-02-03, hello'),
        await said('goodbye'),
        await said('goodbye'),
      ]
      expect(answers).toEqual(['first', 'first', 'second', 'second'])
      expect(model.count).toBe(3)
    },
    [String.raw`\d{4}-\d\d-\d\d`],
  )
})
