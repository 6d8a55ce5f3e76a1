import { join } from 'node:path'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { amodal, folder } from './support.ts'

const SERVER = join(import.meta.dirname, '../../plugins/connect-mcp/test/servers/modern.ts')

test('validate starts MCP servers, and names those that do not', async () => {
  await using here = await folder({
    'amodal.json': {
      name: 'tiny',
      mcp: { servers: { good: { command: process.execPath, args: [SERVER] } } },
    },
    'connections/bad/spec.json': {
      protocol: 'mcp',
      command: process.execPath,
      args: ['-e', 'console.error("no licence"); process.exit(3)'],
    },
    'connections/bad/access.json': { endpoints: {} },
  })
  const { code, out } = await amodal(['validate', '--dir', here.dir])
  expect(code).toBe(1)
  expect(out).toMatch(
    /Errors \(1\)\n {2}connections\/bad\/spec\.json {2}the MCP server "bad" does not start: .*no licence.* — check its command/,
  )
  expect(await amodal(['validate', '--skip-test', '--dir', here.dir])).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 connections (0 errors'),
  })
})

test('validate asks models only where it is told to, each with its own key', async () => {
  const [model, closed] = await Promise.all([
    startModelServer({ script: reply.text('ready') }),
    startModelServer({
      script: reply.httpError(401, { message: 'stale-key-of-last-year is no good' }),
    }),
  ])
  const at = { provider: 'openai-compatible', baseUrl: model.url, model: 'm' }
  await using here = await folder({
    'amodal.json': {
      name: 'tiny',
      models: {
        main: {
          ...at,
          apiKey: 'env:KEY',
          profiles: [{ name: 'spare', apiKey: 'env:SPARE', baseUrl: closed.url }],
        },
        explore: { provider: 'antropic', model: 'm' },
      },
    },
  })
  const env = { KEY: 'good', SPARE: 'stale-key-of-last-year' }

  const asleep = await amodal(['validate', '--dir', here.dir], { env })
  expect(asleep).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /Warnings \(1\)\n.*there is no model provider "antropic"; did you mean "anthropic"\?/,
    ),
  })
  expect([model.count, closed.count]).toEqual([0, 0])

  const asked = await amodal(['validate', '--test-model', '--dir', here.dir], { env })
  expect(asked.code).toBe(1)
  expect(asked.out).toMatch(
    /Errors \(2\)\n {2}amodal\.json {2}`models\.main\.profiles: spare` \(openai-compatible\/m\) does not answer: .*401.*is no good/,
  )
  expect(asked.out).not.toContain('stale-key')
  expect(model.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer good'])
  expect(closed.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer stale-key-of-last-year',
  ])
  await Promise.all([model.close(), closed.close()])
})
