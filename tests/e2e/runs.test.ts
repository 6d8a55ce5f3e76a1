/**
 * `amodal ops runs`, and the same over HTTP: effects whose outcome is unknown are settled by a
 * person.
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '@amodal/sdk/client'
import { contentText, reply, startModelServer } from '@amodal/sdk/testing'
import { agentFolder } from '../support/agent-folder.ts'
import { Amodal, serve } from './server.ts'

const SHAKY = join(import.meta.dirname, 'shaky-plugin.ts')

test('an effect of unknown outcome is listed, settled once, and the model is told', async () => {
  const prompts: string[] = []
  const model = await startModelServer({
    script: ({ messages }) => {
      prompts.push(messages.map(contentText).join('\n'))
      return messages.some(({ role }) => role === 'tool')
        ? reply.text('as far as I know')
        : reply.toolCalls([
            { name: 'pay_keyed', arguments: { amount: 7 } },
            { name: 'pay_plain', arguments: { amount: 8 } },
          ])
    },
  })
  onTestFinished(() => model.close())
  await using folder = await agentFolder({
    'amodal.json': JSON.stringify({
      name: 'payer',
      models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: model.url } },
      plugins: [SHAKY],
    }),
  })
  const paid = join(folder.dir, 'paid.jsonl')
  await using server = await serve(folder.dir, { PAID: paid })
  const client = createClient({ url: server.url, credential: server.credential })
  const ops = (...words: readonly string[]) =>
    new Amodal(['ops', 'runs', ...words, '--url', server.url, '--dir', folder.dir]).ended
  const payments = async () =>
    (await readFile(paid, 'utf8'))
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            readonly name: string
            readonly amount: number
            readonly key: string
          },
      )

  expect((await ops()).out).toMatch(/Nothing waits for a decision/)
  const { session } = await client.ask({ text: 'Pay both' })
  const [first, second] = (await client.session(session)).unknown_calls
  expect(first).toMatchObject({
    tool_name: 'pay_keyed',
    can_retry: true,
    parameters: { amount: 7 },
  })
  expect(second).toMatchObject({
    tool_name: 'pay_plain',
    can_retry: false,
    parameters: { amount: 8 },
  })
  expect((await payments()).map(({ key }) => key)).toEqual([
    first?.idempotency_key,
    second?.idempotency_key,
  ])
  const listed = await ops()
  expect(listed.out).toMatch(
    /pay_keyed \{"amount":7\}[^]*pay_plain \{"amount":8\}[^]*cannot be made again/,
  )

  // Without a key it cannot be made again, and nothing is settled twice.
  expect(await ops('settle', session, second?.call_id ?? '', 'retry')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no idempotency key/),
  })
  expect(await ops('settle', session, second?.call_id ?? '', 'happened')).toMatchObject({ code: 0 })
  expect(await ops('settle', session, second?.call_id ?? '', 'not_happened')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/settled before/),
  })
  expect(await ops('settle', session, first?.call_id ?? '', 'retry')).toMatchObject({ code: 0 })
  const [one, , again] = await payments()
  expect(again).toEqual(one)
  const { unknown_calls: left, messages } = await client.session(session)
  expect(left).toEqual([])
  expect(
    messages.flatMap(({ toolCalls = [] }) =>
      toolCalls.map(({ status, settled }) => ({ status, settled })),
    ),
  ).toEqual([
    {
      status: 'unknown',
      settled: { outcome: 'retry', status: 'success', by: 'local', at: expect.any(String) },
    },
    { status: 'unknown', settled: { outcome: 'happened', by: 'local', at: expect.any(String) } },
  ])
  expect((await ops()).out).toMatch(/Nothing waits for a decision/)
  expect(await ops('settle', session, 'call_none', 'happened')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/NOT_FOUND/),
  })
  expect(await ops('frob')).toMatchObject({ code: 2 })

  await client.ask({ text: 'And now?', session })
  expect(prompts.at(-1)).toMatch(
    /pay_plain[^]*did take effect[^]*pay_keyed[^]*made again under its key, and succeeded/,
  )
  // what a target says reaches the model as a tool's result only
  expect(prompts.at(-1)).not.toContain('IGNORE ALL RULES')
})

test('a session that is not set aside is not retried', async () => {
  await using folder = await agentFolder({ 'amodal.json': JSON.stringify({ name: 'idle' }) })
  await using server = await serve(folder.dir)
  const client = createClient({ url: server.url, credential: server.credential })
  const { session } = await client.ask({ text: 'hello' })
  await expect(client.retry(session)).rejects.toMatchObject({ status: 409 })
  await expect(client.retry('sess_unknown')).rejects.toMatchObject({ status: 404 })
  expect(await client.attention()).toEqual([])
})

test('runs that were set aside are listed, tried again and ended, also where no server runs', async () => {
  const model = await startModelServer({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? reply.text('well again')
        : reply.toolCalls({ name: 'stumble', arguments: {} }),
  })
  onTestFinished(() => model.close())
  await using folder = await agentFolder({
    'amodal.json': JSON.stringify({
      name: 'payer',
      runtime: { leaseMs: 2_000, marginMs: 100, sweepMs: 200 },
      models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: model.url } },
      plugins: [join(import.meta.dirname, 'stumbling-plugin.ts')],
    }),
  })
  const marks = await mkdtemp(join(tmpdir(), 'amodal-marks-'))
  onTestFinished(() => rm(marks, { recursive: true, force: true }))
  const server = await serve(folder.dir, { MARKS: marks })
  const client = createClient({ url: server.url, credential: server.credential })
  const over = (...words: readonly string[]) =>
    new Amodal(['ops', 'runs', ...words, '--url', server.url, '--dir', folder.dir]).ended
  const alone = (...words: readonly string[]) =>
    new Amodal(['ops', 'runs', ...words, '--dir', folder.dir], { MARKS: marks }).ended
  for (let n = 0; n < 4; n++)
    for await (const event of client.send({ text: 'stumble' })) if (event.type === 'error') break
  await expect
    .poll(async () => (await client.attention()).filter((one) => one.set_aside).length)
    .toBe(4)
  const [first = '', second = '', third = '', fourth = ''] = (await client.attention()).map(
    ({ id }) => id,
  )

  expect((await over()).out).toContain(first)
  expect(await over('retry', first)).toMatchObject({ code: 0 })
  await expect
    .poll(async () => (await client.session(first)).messages.at(-1)?.text)
    .toBe('well again')
  expect(await over('end', second)).toMatchObject({ code: 0 })
  await expect
    .poll(async () => (await client.session(second)).messages.at(-1)?.end?.reason)
    .toBe('user_abort')
  expect(await over('retry', 'sess_none')).toMatchObject({
    code: 1,
    err: expect.stringContaining('NOT_FOUND'),
  })
  await server[Symbol.asyncDispose]()

  expect((await alone()).out).toContain(third)
  expect(await alone('end', third)).toMatchObject({ code: 0 })
  expect(await alone('retry', 'all')).toMatchObject({ code: 0 })
  await using again = await serve(folder.dir, { MARKS: marks })
  const later = createClient({ url: again.url, credential: again.credential })
  await expect
    .poll(async () => (await later.session(fourth)).messages.at(-1)?.text)
    .toBe('well again')
  expect((await later.session(third)).messages.at(-1)?.end?.reason).toBe('user_abort')
  expect(await later.attention()).toEqual([])
})
