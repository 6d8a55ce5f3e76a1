import {
  definePlugin,
  defineTool,
  isList,
  isObject,
  Tools,
  use,
  type JsonObject,
} from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openDoor, textIn, type Door, type DoorOptions } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'
import { pay } from '../security/support/pay.ts'

async function opened(options: Partial<DoorOptions> & Pick<DoorOptions, 'script'>): Promise<Door> {
  const door = await openDoor(options)
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

const listIn = (body: JsonObject, field: string): readonly JsonObject[] => {
  const value = body[field]
  return isList(value) ? value.filter((one) => isObject(one)) : []
}

interface Traced {
  readonly body: JsonObject
  readonly rows: readonly JsonObject[]
  row(kind: string, at?: number): JsonObject
}

async function traceOf(
  door: Door,
  session: string,
  query = '',
  headers?: Record<string, string>,
): Promise<Traced> {
  const { status, body, text } = await door.get(`/sessions/${session}/trace${query}`, headers)
  expect({ status, text }).toMatchObject({ status: 200 })
  const rows = listIn(body, 'rows')
  return {
    body,
    rows,
    row: (kind, at = 0) => rows.filter((row) => row['kind'] === kind).at(at) ?? {},
  }
}

async function detailOf(
  door: Door,
  session: string,
  row: JsonObject,
  query = '',
): Promise<JsonObject> {
  const { status, body } = await door.get(`/sessions/${session}/trace/${textIn(row, 'id')}${query}`)
  expect(status).toBe(200)
  return body
}

const kindsOf = ({ rows }: Traced): readonly unknown[] => rows.map(({ kind }) => kind)
const statusOf = ({ rows }: Traced): readonly unknown[] => rows.map(({ status }) => status)

/** A tool that reads, one that fails, one whose effect is unknown, one that is private. */
const tools = definePlugin({
  name: 'trace-tools',
  version: '1.0.0',
  setup({ add }) {
    const input = z.object({ id: z.string().default('x') })
    const common = { description: 'Does something.', input }
    add(Tools, 'trace-tools', {
      tools: () => [
        defineTool({
          ...common,
          name: 'look',
          readOnly: true,
          execute: async ({ id }) => ({
            status: 'success',
            output: { id, text: 'n'.repeat(30_000) },
          }),
        }),
        defineTool({
          ...common,
          name: 'fail',
          readOnly: true,
          execute: async () => ({ status: 'error', code: 'TOOL_FAILED', message: 'it is broken' }),
        }),
        defineTool({
          ...common,
          name: 'send',
          readOnly: false,
          execute: async () => ({
            status: 'error',
            code: 'OUTCOME_UNKNOWN',
            message: 'the line went dead',
          }),
        }),
        defineTool({
          ...common,
          name: 'vault',
          readOnly: true,
          private: true,
          execute: async () => ({ status: 'success', output: 'the code is 4711-0815' }),
        }),
      ],
    })
    return undefined
  },
})

/** Calls each of the tools in turn, then answers. */
const stepwise =
  (...names: readonly string[]): Script =>
  ({ messages }) => {
    const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user'))
    const step = since.filter(({ role }) => role === 'assistant').length
    const name = names[step]
    return name === undefined
      ? reply.text('All done.')
      : reply.toolCalls([{ id: `call_${step}`, name, arguments: { id: `v${step}` } }])
  }

async function answered(
  door: Door,
  message: string,
  headers?: Record<string, string>,
): Promise<string> {
  const { body } = await door.say(message, {}, headers)
  return textIn(body, 'session_id')
}

describe('rows', () => {
  test('one for each thing, with times, tokens and sums', async () => {
    const door = await opened({
      script: stepwise('send', 'look', 'fail', 'vault'),
      entries: [use(tools)],
    })
    const session = await answered(door, 'Look around\nfor v0 v1 v2 v3')
    const trace = await traceOf(door, session)
    expect(kindsOf(trace)).toEqual([
      'message',
      ...['model', 'tool', 'model', 'tool', 'model', 'tool', 'model', 'tool'],
      'model',
      'end',
    ])
    expect(statusOf(trace)).toEqual([
      'done',
      ...['done', 'unknown', 'done', 'done', 'done', 'failed', 'done', 'done'],
      'done',
      'done',
    ])
    expect(trace.row('message')).toMatchObject({ title: 'Look around', depth: 0, start_ms: 0 })
    expect(trace.row('model')).toMatchObject({
      title: 'Calls send',
      session,
      run: { number: 1 },
      parent: null,
      model: { provider: 'openai-compatible', model: 'scripted', finish: 'tool-calls', tries: 1 },
    })
    expect(trace.row('model', -1)).toMatchObject({ title: 'All done.' })
    expect(trace.row('tool', 1)).toMatchObject({ title: 'look', tool: { name: 'look' } })
    expect(trace.row('tool', 2)).toMatchObject({
      error: { code: 'TOOL_FAILED', message: 'it is broken' },
    })
    expect(trace.row('tool', 3)).toMatchObject({ tool: { private: true } })
    for (const { ms, start_ms } of trace.rows) {
      expect(ms).toEqual(expect.any(Number))
      expect(start_ms).toEqual(expect.any(Number))
    }
    const [run] = listIn(trace.body, 'runs')
    expect(run).toMatchObject({
      number: 1,
      status: 'done',
      reason: 'model_stop',
      model_calls: 5,
      tool_calls: 4,
      errors: 2,
      ms_waiting: 0,
    })
    const view = await door.get(`/sessions/${session}`)
    expect(run?.['tokens']).toMatchObject({
      input: (view.body['token_usage'] as JsonObject)['input_tokens'],
      output: (view.body['token_usage'] as JsonObject)['output_tokens'],
    })
    expect(trace.body).toMatchObject({ next: null, state: 'idle', total: 11 })
  })

  test('the inspector: arguments, results, what was sent, and how to get all of it', async () => {
    const door = await opened({
      script: stepwise('send', 'look', 'vault'),
      entries: [use(tools)],
      files: { 'knowledge/rates.md': '# Rates\n\nThe rate is seven.' },
    })
    const session = await answered(door, 'go for v0 v1 v2')
    const trace = await traceOf(door, session)
    const look = await detailOf(door, session, trace.row('tool', 1))
    expect(look).toMatchObject({
      arguments: { value: { id: 'v1' } },
      result: { cut: true, bytes: expect.any(Number) as number },
    })
    const full = await detailOf(door, session, trace.row('tool', 1), '?full=true')
    expect(full).toMatchObject({ result: { value: { text: 'n'.repeat(30_000) } } })
    const vault = await detailOf(door, session, trace.row('tool', 2), '?full=true')
    expect(vault).toMatchObject({ private: true, result: { value: '[private]' } })
    expect(JSON.stringify(vault)).not.toContain('4711')
    const send = await detailOf(door, session, trace.row('tool', 0))
    expect(send).toMatchObject({
      error: { code: 'OUTCOME_UNKNOWN', fix: 'check the target before repeating it' },
      in_doubt: [{ name: 'send' }],
    })
    const model = await detailOf(door, session, trace.row('model', 2))
    expect(model).toMatchObject({
      calls: [{ name: 'vault', arguments: { value: { id: 'v2' } } }],
      sent: { available: true, tools: expect.arrayContaining(['look']) as string[] },
    })
    const { sections, prompt, messages } = model['sent'] as JsonObject
    expect(sections).toContainEqual(
      expect.objectContaining({
        plugin: 'knowledge',
        parts: [expect.objectContaining({ file: 'knowledge/rates.md' })],
      }),
    )
    expect(prompt).toContain('The rate is seven.')
    expect(messages).toHaveLength(5)
    await door.restart()
    const later = await detailOf(door, session, trace.row('model', 2))
    expect(later['sent']).toMatchObject({
      available: false,
      why: expect.stringContaining('did not send') as string,
      made_of: { messages: 1, replies: 2, results: 2 },
    })
  })
})

describe('people and guards', () => {
  test.each([
    [true, 'done', 'done', 'approved'],
    [false, 'refused', 'refused', 'declined'],
  ])('an approval that is given: %s', async (approved, status, ofCall, decision) => {
    const { plugin } = pay('confirm')
    const door = await opened({
      script: (request) =>
        request.messages.at(-1)?.role === 'tool'
          ? reply.text('done')
          : reply.toolCalls([{ id: 'c', name: 'pay', arguments: { amount: 7 } }]),
      entries: [use(plugin)],
    })
    const { body } = await door.say('pay 7')
    const session = textIn(body, 'session_id')
    const before = await traceOf(door, session)
    expect(before.row('tool')).toMatchObject({ status: 'waiting', ms: null })
    expect(before.row('approval')).toMatchObject({ status: 'waiting', waiting_ms: null })
    expect(before.body).toMatchObject({ state: 'confirming' })
    expect(listIn(before.body, 'runs')).toMatchObject([{ status: 'waiting' }])
    const resume = Number(before.body['resume'])
    expect(resume).toBeLessThan(Number(before.row('tool')['seq']))
    const { ask } = before.row('approval')
    const id = textIn(isObject(ask) ? ask : {}, 'ask_id')
    await door.answer({ session_id: session, id, approved, feedback: 'so be it' })
    await expect.poll(async () => (await traceOf(door, session)).row('end')['status']).toBe('done')
    const after = await traceOf(door, session)
    const news = await traceOf(door, session, `?after=${resume}`)
    expect(news.rows).toEqual(after.rows.slice(-news.rows.length))
    expect(after.row('approval')).toMatchObject({
      status,
      waiting_ms: expect.any(Number) as number,
      of: after.row('tool')['id'],
      ask: { decision, tier: 'confirm', tool: 'pay', reason: '"pay" asks before it runs' },
    })
    expect(after.row('tool')).toMatchObject({ status: ofCall })
    // a person's no is no verdict of a guard
    expect(kindsOf(after)).not.toContain('guard')
    const detail = await detailOf(door, session, after.row('approval'))
    expect(detail).toMatchObject({
      answer: { value: { approved, feedback: 'so be it' } },
      context: { value: { params: { amount: 7 } } },
      rows: [after.row('tool')['id']],
    })
  })

  test('what a guard denies is a row of its own', async () => {
    const guard = definePlugin({
      name: 'no',
      version: '1.0.0',
      setup({ hooks }) {
        hooks.tool.guard.tap((verdict) => verdict.raise('deny', 'not on a Sunday'))
      },
    })
    const door = await opened({ script: stepwise('look'), entries: [use(tools), use(guard)] })
    const trace = await traceOf(door, await answered(door, 'go'))
    expect(trace.row('tool')).toMatchObject({ status: 'refused', error: { code: 'TOOL_DENIED' } })
    expect(trace.row('guard')).toMatchObject({
      title: 'Refused: This call is not allowed: not on a Sunday',
      status: 'refused',
      of: trace.row('tool')['id'],
      guard: { verdict: 'denied', tool: 'look' },
    })
  })

  test('a cancelled run says what it was in', async () => {
    const { plugin } = pay('confirm')
    const door = await opened({
      script: reply.toolCalls([{ id: 'c', name: 'pay', arguments: { amount: 7 } }]),
      entries: [use(plugin)],
    })
    const { body } = await door.say('pay 7')
    const session = textIn(body, 'session_id')
    await door.post(`/sessions/${session}/cancel`, {})
    await expect
      .poll(async () => (await traceOf(door, session)).row('end')['status'])
      .toBe('cancelled')
    const trace = await traceOf(door, session)
    expect(trace.row('tool')).toMatchObject({ status: 'cancelled' })
    expect(trace.row('approval')).toMatchObject({ status: 'cancelled' })
    expect(listIn(trace.body, 'runs')).toMatchObject([{ status: 'cancelled' }])
  })
})

test('rows of sub-agents stand behind the row of their call', async () => {
  const script: Script = ({ messages }) => {
    const task = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
    const results = messages.filter(({ role }) => role === 'tool').length
    if (task.includes('inner'))
      return results === 0
        ? reply.toolCalls([{ id: 'b', name: 'look', arguments: { id: 'inner' } }])
        : reply.text('inner is done')
    return results === 0
      ? reply.toolCalls([
          { id: 'a', name: 'dispatch_task', arguments: { prompt: 'the inner task' } },
        ])
      : reply.text('both are done')
  }
  const door = await opened({ script, entries: [use(tools)] })
  const session = await answered(door, 'go')
  const trace = await traceOf(door, session)
  expect(kindsOf(trace)).toEqual([
    ...['message', 'model', 'agent'],
    ...['message', 'model', 'tool', 'model', 'end'],
    ...['model', 'end'],
  ])
  expect(trace.rows.map(({ depth }) => depth)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 0, 0])
  const agent = trace.row('agent')
  expect(agent).toMatchObject({
    title: 'Sub-agent task: the inner task',
    status: 'done',
    children: { rows: 5, total: 5 },
  })
  const child = textIn(agent['agent'] as JsonObject, 'session')
  for (const row of trace.rows.filter(({ depth }) => depth === 1))
    expect(row).toMatchObject({ session: child, parent: agent['key'] })
  const keys = trace.rows.map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
  const flat = await traceOf(door, session, '?children=false')
  expect(flat.rows.map(({ depth }) => depth)).toEqual([0, 0, 0, 0, 0])
  expect(await detailOf(door, child, trace.rows[5] ?? {})).toMatchObject({ name: 'look' })
})

describe('who may read', () => {
  test('a session of another tenant is an unknown one, to the byte', async () => {
    const door = await opened({
      script: reply.text('Hello.'),
      env: keysOf({
        anna: { tenant: 'acme' },
        bert: { tenant: 'beta' },
        carl: { tenant: 'acme', scopes: ['chat'] },
      }),
    })
    const session = await answered(door, 'hi', as('anna'))
    expect((await traceOf(door, session, '', as('anna'))).rows).toHaveLength(3)
    for (const path of ['trace', 'trace/1', 'trace/2']) {
      const foreign = await door.get(`/sessions/${session}/${path}`, as('bert'))
      const unknown = await door.get(`/sessions/sess_nobody/${path}`, as('bert'))
      const malformed = await door.get(
        `/sessions/${encodeURIComponent('no id!')}/${path}`,
        as('bert'),
      )
      expect(foreign.status).toBe(404)
      expect(foreign.text).toBe(unknown.text)
      expect(malformed.text).toBe(unknown.text)
      expect((await door.get(`/sessions/${session}/${path}`, as('carl'))).status).toBe(403)
    }
  })

  test('bad places are refused with their name', async () => {
    const door = await opened({ script: reply.text('Hello.') })
    const session = await answered(door, 'hi')
    for (const query of [
      'after=x',
      'after=-1',
      'after=',
      'limit=0',
      'limit=1001',
      'children=maybe',
    ])
      expect(await door.get(`/sessions/${session}/trace?${query}`)).toMatchObject({
        status: 400,
        body: {
          error: {
            code: 'VALIDATION_ERROR',
            message: expect.stringContaining(query.split('=')[0] ?? '') as string,
          },
        },
      })
    expect((await door.get(`/sessions/${session}/trace/x`)).status).toBe(400)
    expect((await door.get(`/sessions/${session}/trace/999`)).status).toBe(404)
    expect((await traceOf(door, session, '?after=999')).body).toMatchObject({
      rows: [],
      next: null,
    })
  })
})
