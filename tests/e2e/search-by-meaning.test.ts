/** `search_knowledge` with a scripted model for vectors, behind the protocol of OpenAI. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import { expect, test } from 'vitest'
import { openDoor, write, type Door } from '../security/support/door.ts'
import { startEmbeddingsServer, type EmbeddingsServer } from '../support/embeddings-server.ts'
import { find, script } from './search-door.ts'

const FIXTURES = join(import.meta.dirname, '../../plugins/search/test/fixtures')
interface Labelled {
  readonly name: string
  readonly title: string
  readonly body: string
}
interface Question {
  readonly question: string
  readonly relevant: readonly string[]
}
const read = (file: string): unknown => JSON.parse(readFileSync(join(FIXTURES, file), 'utf8'))
const DOCUMENTS = read('documents.json') as readonly Labelled[] // the file is ours
const QUESTIONS = read('questions.json') as readonly Question[] // the file is ours

const FILES = Object.fromEntries(
  DOCUMENTS.map(({ name, title, body }) => [`knowledge/${name}.md`, `# ${title}\n\n${body}\n`]),
)
/** A search whose words are in no document. */
const MEANT = 'telecommuting from foreign places'

const open = (server?: EmbeddingsServer, more: JsonObject = {}): Promise<Door> =>
  openDoor({
    files: FILES,
    script,
    env: { VECTORS_KEY: 'sk-vectors-1234567890' },
    manifest: (url) => ({
      models: {
        main: { provider: 'openai-compatible', model: 'scripted', baseUrl: url },
        ...(server && {
          embeddings: {
            provider: 'openai-compatible',
            model: 'scripted',
            baseUrl: server.url,
            apiKey: 'env:VECTORS_KEY',
            ...more,
          },
        }),
      },
      plugins: [['search', { knowledge: 'always', limit: 20 }]],
    }),
  })

const namesFor = async (door: Door, query: string): Promise<readonly string[]> => [
  ...new Set((await find(door, query)).map(({ document = '' }) => document)),
]

/** The mean, over all questions, of the part of the relevant documents among the first ten. */
async function recallOf(door: Door): Promise<number> {
  let sum = 0
  for (const { question, relevant } of QUESTIONS) {
    const first = new Set((await namesFor(door, question)).slice(0, 10))
    sum += relevant.filter((name) => first.has(name)).length / relevant.length
  }
  return sum / QUESTIONS.length
}

test('recall at 10 with vectors is above that of full text', async () => {
  await using server = await startEmbeddingsServer()
  await using words = await open()
  const byWords = await recallOf(words)
  await using both = await open(server)
  const byBoth = await recallOf(both)
  process.stdout.write(
    `recall at 10: ${byWords.toFixed(3)} with full text, ${byBoth.toFixed(3)} with vectors, too\n`,
  )
  expect(byBoth).toBeGreaterThan(byWords)
  expect(server.authorization).toBe('Bearer sk-vectors-1234567890')
  expect(both.log.join('\n')).not.toContain('sk-vectors-1234567890')
})

test('each passage is computed once, and again where it was edited', async () => {
  await using server = await startEmbeddingsServer()
  await using door = await open(server, { batch: 7 })
  expect(await namesFor(door, MEANT)).toContain('remote-work')
  const first = server.texts.length
  expect(first).toBe(DOCUMENTS.length + 1)
  expect(await namesFor(door, MEANT)).toContain('remote-work')
  expect(server.texts).toHaveLength(first)
  await write(door.dir, { 'knowledge/new.md': '# Abroad\n\nTelecommuting is a foreign word.\n' })
  await expect.poll(() => namesFor(door, MEANT)).toContain('new')
  expect(server.texts.slice(first)).toEqual([expect.stringContaining('foreign word')])
})

test('a service that fails leaves full text, is logged once, and is used again later', async () => {
  await using server = await startEmbeddingsServer()
  for (const failing of [
    { status: 503, body: '{"error":{"message":"overloaded"}}' },
    { status: 200, body: '{"data":[]}' },
    { status: 200, body: 'nonsense' },
  ]) {
    server.fail(failing)
    await using other = await open(server)
    for (const _ of [1, 2, 3]) expect((await namesFor(other, 'wireguard'))[0]).toBe('vpn')
    expect(other.log.filter((line) => line.includes('search.without_vectors'))).toHaveLength(1)
  }
  server.fail({ status: 503, body: 'overloaded' })
  await using door = await open(server)
  expect(await namesFor(door, 'wireguard')).toContain('vpn')
  server.fail(undefined)
  await expect.poll(() => namesFor(door, MEANT)).toContain('remote-work')
})
