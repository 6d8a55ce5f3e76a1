import guardTaint from '@amodal/plugin-guard-taint'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, Database, err, failure, use, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor, textIn, type Door } from '../support/door.ts'
import { pay } from '../support/pay.ts'
import { runCommand } from '../../support/command.ts'

/** Runs a command of the agent, as a person at a terminal does. */
const amodal = (dir: string, ...argv: readonly string[]) =>
  runCommand([...argv, '--dir', dir], { timeoutMs: 30_000 })

async function lines(door: Door): Promise<readonly JsonObject[]> {
  await new Promise((resolve) => {
    setTimeout(resolve, 200)
  })
  const dump = await door.dump()
  return dump
    .split('\n')
    .map((row) => JSON.parse(row) as JsonObject)
    .flatMap((row) =>
      typeof row['body'] === 'string' && 'hash' in row
        ? [JSON.parse(row['body']) as JsonObject]
        : [],
    )
}

test('every write has its line before it is made, and everything else has one soon', async () => {
  const { plugin, paid } = pay('confirm')
  await using door = await openDoor({
    entries: [use(plugin)],
    script: (request) =>
      request.messages.at(-1)?.role === 'tool'
        ? reply.text('done')
        : reply.toolCalls([{ id: 'c1', name: 'pay', arguments: { amount: 7, api_key: 'k' } }]),
  })
  const { body } = await door.say('pay 7')
  const [pending] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
  await door.answer({
    session_id: body['session_id'] ?? '',
    id: pending?.['id'] ?? '',
    approved: true,
  })
  await expect.poll(() => paid).toEqual([7])
  await expect.poll(async () => (await lines(door)).map(({ kind }) => kind)).toContain('run_end')
  const kinds = (await lines(door)).map(({ kind }) => kind)
  expect(kinds).toEqual(
    expect.arrayContaining([
      'version_load',
      'session_start',
      'run_start',
      'write_op',
      'approval_asked',
      'approval_answered',
      'write_begun',
      'tool_call',
      'run_end',
    ]),
  )
  expect((await lines(door)).find(({ kind }) => kind === 'write_op')).toMatchObject({
    principal: 'local',
    data: { tool: 'pay', params: { amount: 7 }, verdict: 'confirm' },
  })

  await door.running.close('test')
  expect(await amodal(door.dir, 'ops', 'audit', 'verify')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/✓ local: \d+ lines, [1-9]\d* checkpoints/) as string,
    err: '',
  })
  expect(
    (await amodal(door.dir, 'ops', 'audit', 'show', '--session', textIn(body, 'session_id'))).out,
  ).toMatch(/write_op/)
  const exported = (await amodal(door.dir, 'ops', 'audit', 'export')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)
  expect(exported.length).toBeGreaterThanOrEqual(kinds.length)
})

test('a line that other transactions are in the way of is tried again, and its call is not denied', async () => {
  const { plugin, paid } = pay('allow')
  let conflicts = 0
  const meets = definePlugin({
    name: 'meets',
    version: '1.0.0',
    decorates: [Database],
    setup({ decorate }) {
      decorate(Database, (inner) => ({
        dialect: inner.dialect,
        exclusive: inner.exclusive,
        run: async (statement, signal) =>
          statement.sql.includes('insert into audit_line') && ++conflicts <= 4
            ? err(
                failure('STORE_FAILED', 'could not serialize access', {
                  details: { sqlstate: conflicts % 2 === 0 ? '40001' : '40P01' },
                }),
              )
            : inner.run(statement, signal),
        transaction: (work, signal) => inner.transaction(work, signal),
        listen: (channel, heard) => inner.listen(channel, heard),
        notify: (channel, payload, signal) => inner.notify(channel, payload, signal),
        ready: () => inner.ready(),
      }))
    },
  })
  await using door = await openDoor({
    entries: [use(plugin), use(meets)],
    script: (request) =>
      request.messages.at(-1)?.role === 'tool'
        ? reply.text('done')
        : reply.toolCalls([{ id: 'c1', name: 'pay', arguments: { amount: 7 } }]),
  })
  expect(await door.say('pay 7')).toMatchObject({ status: 200, body: { response: 'done' } })
  expect(conflicts).toBeGreaterThan(4)
  expect(paid).toEqual([7])
})

test('where the audit log cannot be written nothing is changed, and what only reads goes on', async () => {
  const { plugin, paid } = pay('allow')
  let down = false
  const breaks = definePlugin({
    name: 'breaks',
    version: '1.0.0',
    decorates: [Database],
    setup({ decorate }) {
      decorate(Database, (inner) => ({
        dialect: inner.dialect,
        exclusive: inner.exclusive,
        run: async (statement, signal) =>
          down && statement.sql.includes('audit_line')
            ? err(failure('STORE_FAILED', 'the disk is full'))
            : inner.run(statement, signal),
        transaction: (work, signal) => inner.transaction(work, signal),
        listen: (channel, heard) => inner.listen(channel, heard),
        notify: (channel, payload, signal) => inner.notify(channel, payload, signal),
        ready: () => inner.ready(),
      }))
    },
  })
  await using door = await openDoor({
    entries: [use(plugin), use(breaks), use(guardTaint, { inside: ['pay'] })],
    script: (request) =>
      request.messages.at(-1)?.role === 'tool'
        ? reply.text('so')
        : reply.toolCalls([
            { id: `c${request.messages.length}`, name: 'pay', arguments: { amount: 7 } },
          ]),
  })
  down = true
  const refused = await door.say('pay 7')
  expect(refused).toMatchObject({ status: 200, body: { response: 'so' } })
  expect(paid).toEqual([])
  expect(JSON.stringify(door.model.requests.at(-1)?.body.messages.at(-1))).toMatch(
    /AUDIT_UNAVAILABLE/,
  )
  expect((await door.get('/health')).text).toMatch(/audit/)

  down = false
  await expect
    .poll(
      async () => {
        await door.say('pay 7', { session_id: refused.body['session_id'] ?? '' })
        return paid.length
      },
      { interval: 500 },
    )
    .toBeGreaterThan(0)
  // What could not be written then is there now.
  await expect
    .poll(async () => (await lines(door)).filter(({ kind }) => kind === 'run_end').length)
    .toBeGreaterThan(1)
})

test("the file of the audit log stands in the agent's folder, wherever the server was started", async () => {
  await using door = await openDoor({
    script: () => reply.text('done'),
    manifest: { plugins: [['audit', { file: 'lines.jsonl' }]] },
  })
  await door.say('hello')
  const file = join(door.dir, 'lines.jsonl')
  await expect
    .poll(async () => readFile(file, 'utf8').catch(() => ''))
    .toContain('"kind":"run_end"')
})
