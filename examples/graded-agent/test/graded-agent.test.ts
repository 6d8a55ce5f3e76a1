import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main } from '@amodal/presets/cli'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const agent = join(import.meta.dirname, '../agent')
let model: ModelServer
let dir: string
/** What the model does wrong, for the test of a change for the worse. */
let forgets = false

interface Sent {
  readonly role: string
  readonly content?: unknown
}

const textOf = (message: Sent | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '')

/** A model that reads a ticket, says its status, and closes it when it is told to. */
function answer(messages: readonly Sent[]) {
  const saysNumbers = textOf(messages.find(({ role }) => role === 'system')).includes('its number')
  const last = messages.at(-1)
  const text = textOf(last)
  if (text.includes('"requirements"')) return verdicts(text)
  const question = textOf(messages.findLast(({ role }) => role === 'user'))
  const ticket = /T-\d/.exec(question)?.[0] ?? ''
  if (last?.role !== 'tool')
    return question.startsWith('Close')
      ? reply.toolCalls([{ name: 'store_closed', arguments: { ticket, reason: 'solved' } }])
      : reply.toolCalls([
          {
            name: 'request',
            arguments: { connection: 'tickets', method: 'GET', endpoint: `/tickets/${ticket}` },
          },
        ])
  const status = /\\?"status\\?":\s*\\?"(\w+)/.exec(text)?.[1]
  if (question.startsWith('Close'))
    return reply.text(forgets || !saysNumbers ? 'Closed.' : `Closed ${ticket}.`)
  return reply.text(`${ticket} is ${status ?? 'unknown'}.`)
}

function verdicts(text: string) {
  const { requirements, transcript } = JSON.parse(text) as {
    requirements: readonly { readonly id: string; readonly requirement: string }[]
    transcript: { readonly turns: readonly unknown[] }
  }
  const turns = transcript.turns.length
  const of = ({ id, requirement }: (typeof requirements)[number]) => ({
    id,
    reason: 'as the transcript shows',
    // A judge is asked about statements whose truth is known, too.
    met: Number(/exactly (\d+) turn/.exec(requirement)?.[1] ?? turns) === turns,
  })
  return reply.text(JSON.stringify({ verdicts: requirements.map(of) }))
}

beforeAll(async () => {
  model = await startModelServer({ script: ({ messages }) => answer(messages) })
  dir = await mkdtemp(join(tmpdir(), 'amodal-graded-'))
  await cp(agent, dir, { recursive: true, filter: (path) => !path.endsWith('.amodal') })
  // The scripted model and its judge in place of a provider.
  const provider = { provider: 'openai-compatible', baseUrl: model.url, apiKey: 'none' }
  const manifest = JSON.parse(await readFile(join(dir, 'amodal.json'), 'utf8')) as object
  const models = { main: { ...provider, model: 'a' }, simple: { ...provider, model: 'judge' } }
  await writeFile(join(dir, 'amodal.json'), JSON.stringify({ ...manifest, models }))
})

afterAll(async () => {
  await model.close()
  await rm(dir, { recursive: true })
})

const evaluate = (...argv: string[]) => run('eval', ...argv)

async function run(...argv: string[]): Promise<{ code: number; out: string }> {
  let out = ''
  const code = await main({
    argv: [...argv, '--dir', dir],
    env: {},
    write: (text) => void (out += text),
    fail: (text) => void (out += text),
    input: (async function* () {})(),
    signal: new AbortController().signal,
  })
  return { code, out }
}

test('passes all of its cases, as its baseline says', async () => {
  const { code, out } = await evaluate('--fail-on', 'regress')
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('6 of 6') as string })
  expect(out).toContain('0 worse, 0 better, 0 new, 0 missing')
})

test('a change for the worse is named', async () => {
  forgets = true
  const { code, out } = await evaluate('--fail-on', 'regress')
  forgets = false
  expect(code).toBe(1)
  expect(out).toContain('worse: closing / after-a-question')
})

test('an experiment says which cases need what the shorter prompt leaves out', async () => {
  const { code, out } = await run('ops', 'experiment', 'shorter')
  expect(code).toBe(0)
  expect(out).toMatch(/base\s+5 of 5\s.*control/)
  expect(out).toMatch(/short\s+4 of 5\s.*undecided/)
  expect(out).toMatch(/calm\s+5 of 5\s.*undecided/)
  expect(out).toContain('short: worse: closing / after-a-question')
})
