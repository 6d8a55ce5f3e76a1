import { describe, expect, test } from 'vitest'
import { createAgent } from '../src/index.ts'
import { amodal, folder } from './support.ts'

const agent = { 'amodal.json': { name: 'tiny' } }

test.each([['--version'], ['-V']])(
  'amodal %s says its version, and starts nothing',
  async (option) => {
    expect(await amodal([option, '--dir', '/nowhere'])).toMatchObject({ code: 0, err: '' })
  },
)

describe('amodal start', () => {
  test('takes production, which needs its database', async () => {
    await using here = await folder(agent)
    const started = await amodal(['start', '--port', '0', '--dir', here.dir])
    expect(started.code).toBe(1)
    expect(started.err).toMatch(/ENV_NOT_SET: DATABASE_URL is not set[^]*db-postgres/)
  })

  test.each([
    ['amodal.json', { name: 'tiny', preset: 'dev' }, []],
    ['the command line', { name: 'tiny' }, ['--preset', 'dev']],
  ])('unless %s names another preset', async (_where, manifest, argv) => {
    await using here = await folder({ 'amodal.json': manifest })
    const started = await amodal(['start', '--port', '0', '--dir', here.dir, ...argv], {
      onOutput: (text, stop) => {
        if (text.includes('Runtime ready')) stop()
      },
    })
    expect(started).toMatchObject({ code: 0, out: expect.stringContaining('✓ tiny') })
  })
})

test('doctor outside an agent folder says so, and nothing else', async () => {
  await using here = await folder({})
  const { code, out } = await amodal(['doctor', '--dir', here.dir])
  expect(code).toBe(1)
  expect(out).toBe(
    `✗ No agent in ${here.dir}\n    there is no amodal.json in ${here.dir}\n    name the folder of the agent with --dir, or make one: amodal init my-agent\nSomething is wrong: see above.\n`,
  )
})

test('plugins list names what a server runs, not what a look at it needs', async () => {
  await using here = await folder(agent)
  const { code, out } = await amodal(['plugins', 'list', '--dir', here.dir])
  expect(code).toBe(0)
  for (const name of ['db-pglite', 'http', 'sessions', 'stores-database'])
    expect(out).toMatch(new RegExp(`^${name} `, 'm'))
  expect(out).not.toMatch(/^(?:sessions|stores)-memory /m)
  // Nothing is connected for it.
  const production = await amodal(['plugins', 'list', '--preset', 'production', '--dir', here.dir])
  expect(production).toMatchObject({ code: 0, out: expect.stringMatching(/^db-postgres /m) })
})

describe('createAgent without `env`', () => {
  const failed = async (manifest: object): Promise<string> => {
    await using here = await folder({ 'amodal.json': { name: 'tiny', ...manifest } })
    const embedded = await createAgent({ repoPath: here.dir })
    try {
      const session = await embedded.createSession()
      const events: unknown[] = []
      for await (const event of session.stream('Hello')) events.push(event)
      return JSON.stringify(events)
    } finally {
      await embedded.shutdown()
    }
  }

  test('says that it has to be passed, and which key', async () => {
    expect(await failed({ model: 'gpt-4o' })).toMatch(
      /OPENAI_API_KEY is not set, and apiKey of the model 'gpt-4o'[^"]*`createAgent` sees only the variables that it is given: pass `env: process\.env`/,
    )
  })

  test('says which keys were looked for where no model is named', async () => {
    expect(await failed({})).toMatch(
      /none of ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY.* is set for this agent\..*pass it to `createAgent` in `env`/,
    )
  })
})
