import { expect, test } from 'vitest'
import { amodal, folder } from './support.ts'

const agent = (embeddings: unknown) => ({
  'amodal.json': {
    name: 'desk',
    models: { main: { provider: 'demo', model: 'words' }, embeddings },
  },
})

test.each([
  ['openai/text-embedding-3-small'],
  [{ provider: 'mistral', model: 'mistral-embed' }],
  [{ provider: 'openai-compatible', model: 'x', baseUrl: 'http://127.0.0.1:9/v1' }],
])('models.embeddings takes %j, as the plugin embeddings', async (setting) => {
  await using here = await folder(agent(setting))
  expect(await amodal(['validate', '--skip-test', '--dir', here.dir])).toMatchObject({
    code: 0,
    out: expect.stringContaining('(0 errors'),
  })
  const { out } = await amodal(['inspect', '--plugins', '--dir', here.dir])
  expect(out).toContain('embeddings')
})

test.each([
  [{ provider: 'openai-compatible', model: 'x' }, /baseUrl.*is missing/],
  [{ provider: 'opneai', model: 'x' }, /provider/],
  [{ model: 'x', dimension: 3 }, /dimension/],
  [7, /models\.embeddings/],
])('models.embeddings does not take %j, and says why', async (setting, why) => {
  await using here = await folder(agent(setting))
  const { code, out, err } = await amodal(['validate', '--skip-test', '--dir', here.dir])
  expect(code).toBe(1)
  expect(`${out}${err}`).toMatch(why)
})
