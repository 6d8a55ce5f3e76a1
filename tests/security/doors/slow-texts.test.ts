import { reply, type Script } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn } from '../support/door.ts'
import { startApi } from '../support/api-server.ts'

const SIZE = 200_000
const TEXTS: Readonly<Record<string, string>> = {
  letters: 'a'.repeat(SIZE),
  'other letters': 'h'.repeat(SIZE),
  digits: '1'.repeat(SIZE),
  'digits with dashes': '1-'.repeat(SIZE / 2),
  base64: 'QUJD'.repeat(SIZE / 4),
  hex: '6162'.repeat(SIZE / 4),
  'spaced hex': '61 '.repeat(SIZE / 3),
  dots: 'a.'.repeat(SIZE / 2),
  tags: '<img '.repeat(SIZE / 5),
  accounts: 'account 12345678 '.repeat(SIZE / 17),
}
/**
 * ms that nobody else is answered: far above what a busy machine adds, and far below what a text
 * made to be slow once cost.
 */
const MOST_BLOCKED = 5_000

/** The longest standstill of this process, in which the server runs too. */
async function standstill(work: () => Promise<unknown>): Promise<number> {
  let [worst, before] = [0, performance.now()]
  const timer = setInterval(() => {
    const now = performance.now()
    ;[worst, before] = [Math.max(worst, now - before), now]
  }, 5)
  await work()
  await new Promise((resolve) => {
    setTimeout(resolve, 20)
  })
  clearInterval(timer)
  return worst
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

test.each(Object.entries(TEXTS))(
  'a target that answers 200 kB of %s holds nobody up',
  async (_name, note) => {
    await using api = await startApi(() => ({ body: { ...CONTACT, note } }))
    const script: Script = (request) =>
      request.messages.at(-1)?.role === 'tool' ? reply.text('done') : reads
    await using door = await openDoor({ script, files: files(api.url) })
    expect(await standstill(() => door.say('go'))).toBeLessThan(MOST_BLOCKED)
  },
)

test.each(Object.entries(TEXTS))(
  'a model that writes 200 kB of %s into a call holds nobody up',
  async (_name, text) => {
    await using api = await startApi(() => ({ body: CONTACT }))
    const script: Script = ({ messages }) => {
      const answered = messages.filter(({ role }) => role === 'tool').length
      return answered === 0
        ? reads
        : answered === 1
          ? reply.toolCalls({
              name: 'request',
              arguments: {
                connection: 'crm',
                method: 'POST',
                endpoint: '/x',
                data: { text, to: text },
              },
            })
          : reply.text('done')
    }
    await using door = await openDoor({ script, files: files(api.url) })
    expect(await standstill(() => door.say('go'))).toBeLessThan(MOST_BLOCKED)
  },
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

test.each(Object.entries(TEXTS))(
  'a model that says 200 kB of %s holds nobody up',
  async (_name, text) => {
    await using api = await startApi(() => ({ body: CONTACT }))
    const script: Script = (request) =>
      request.messages.at(-1)?.role === 'tool' ? reply.text([text]) : reads
    await using door = await openDoor({ script, files: files(api.url) })
    expect(await standstill(() => door.say('go'))).toBeLessThan(MOST_BLOCKED)
  },
)
