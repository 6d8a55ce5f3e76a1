import { reply, type Script } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn } from '../support/door.ts'
import { startApi } from '../support/api-server.ts'
import { isWhole, newRandom } from '../../support/random.ts'

const SHORT = 100_000
const LONG = 800_000
/** ms for a test: far more than it needs on a busy machine. */
const TIMEOUT = 240_000
const TEXTS: Readonly<Record<string, string>> = {
  letters: 'a',
  'other letters': 'h',
  digits: '1',
  'digits with dashes': '1-',
  base64: 'QUJD',
  hex: '6162',
  'spaced hex': '61 ',
  dots: 'a.',
  tags: '<img ',
  accounts: 'account 12345678 ',
}
const random = newRandom()
/** Other texts at each run, unless all are asked for. */
const textsToTry = (): [name: string, unit: string][] => [
  ...random.sample(Object.entries(TEXTS), isWhole() ? Infinity : 2),
]
const textOf = (unit: string, length: number): string => unit.repeat(length / unit.length)

/**
 * Eight times the text may be eight times the work, and three times that where memory is full and
 * the processor busy; a step that grows with the square would be 64 times as much.
 */
const MOST_GROWTH = 24
/** ms of the processor; shorter ones say nothing of growth. */
const LEAST_MEASURED = 100

/** ms of the processor that this thread has had. */
function cpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** What a turn takes of this thread, in which the server runs too. */
async function work(turn: () => Promise<unknown>): Promise<number> {
  const before = cpu()
  await turn()
  return cpu() - before
}

/** Whether a long text takes as much for each character as a short one. */
async function expectLinear(unit: string, play: (text: string) => Promise<number>): Promise<void> {
  const short = await play(textOf(unit, SHORT))
  const long = await play(textOf(unit, LONG))
  expect(long).toBeLessThanOrEqual(Math.max(short, LEAST_MEASURED) * MOST_GROWTH)
}

const CONTACT = { contact: { ssn: '078-05-1120', name: 'Ann Example' } }
const files = (url: string): Readonly<Record<string, object>> => ({
  'connections/crm/spec.json': { baseUrl: url },
  'connections/crm/access.json': {
    endpoints: { 'POST /x': 'allow' },
    fieldRestrictions: [
      { entity: 'contact', field: 'ssn', policy: 'never_retrieve', sensitivity: 'pii_identifier' },
      { entity: 'contact', field: 'name', policy: 'retrieve_but_redact', sensitivity: 'pii' },
    ],
  },
})
const reads = reply.toolCalls({
  name: 'request',
  arguments: { connection: 'crm', endpoint: '/contacts/1' },
})

test.each(textsToTry())(
  'a target that answers 800 kB of %s holds nobody up',
  async (_name, unit) => {
    await expectLinear(unit, async (note) => {
      await using api = await startApi(() => ({ body: { ...CONTACT, note } }))
      const script: Script = (request) =>
        request.messages.at(-1)?.role === 'tool' ? reply.text('done') : reads
      await using door = await openDoor({ script, files: files(api.url) })
      return await work(() => door.say('go'))
    })
  },
  TIMEOUT,
)

test.each(textsToTry())(
  'a model that writes 800 kB of %s into a call holds nobody up',
  async (_name, unit) => {
    await expectLinear(unit, async (text) => {
      await using api = await startApi(() => ({ body: CONTACT }))
      const writes = reply.toolCalls({
        name: 'request',
        arguments: { connection: 'crm', method: 'POST', endpoint: '/x', data: { text, to: text } },
      })
      const steps = [reads, writes, reply.text('done')]
      const script: Script = ({ messages }) =>
        steps[messages.filter(({ role }) => role === 'tool').length] ?? reply.text('done')
      await using door = await openDoor({ script, files: files(api.url) })
      return await work(() => door.say('go'))
    })
  },
  TIMEOUT,
)

test('a reply that takes more work than it may is cut, and its reader and the log are told', async () => {
  const pieces = 'on 2026-03-01 and '.repeat(8_000).match(/[^]{1,12}/g) ?? []
  await using door = await openDoor({
    script: () => reply.text(pieces),
    manifest: { plugins: [['guard-output', { budget: 100_000 }]] },
  })
  const events = await door.stream('go')
  const text = events
    .map((event) => (event['type'] === 'text_delta' ? textIn(event, 'content') : ''))
    .join('')
  expect(text).toMatch(
    /^on 2026-03-01 and [^[]*\n\n\[The rest of this reply was withheld: it took too much work to look at\.\]$/,
  )
  expect(text.length).toBeLessThan(144_000)
  expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'OUTPUT_CUT' }))
  expect(
    door.log.filter((line) => line.includes('output_finding') && line.includes('too much work')),
  ).toHaveLength(1)
})

test.each(textsToTry())(
  'a model that says 800 kB of %s holds nobody up',
  async (_name, unit) => {
    await expectLinear(unit, async (text) => {
      await using api = await startApi(() => ({ body: CONTACT }))
      const script: Script = (request) =>
        request.messages.at(-1)?.role === 'tool' ? reply.text([text]) : reads
      await using door = await openDoor({ script, files: files(api.url) })
      return await work(() => door.say('go'))
    })
  },
  TIMEOUT,
)
