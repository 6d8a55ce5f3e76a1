import { reply } from '@amodal/sdk/testing'
import type { BundleIssue } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { customTools } from '../src/custom-tool.ts'
import { desk, given, handler, said, startApi } from './support.ts'

const issueLines = (issues: readonly BundleIssue[]): readonly string[] =>
  issues.map(({ severity, file, message, fix }) => `${severity} ${file} ${message} — ${fix}`)
const BED = {
  parameters: { type: 'object', properties: { bed: { type: 'string' } }, required: ['bed'] },
}
const WATER = "export default ({ bed }) => 'Watered ' + bed + '.'"
const regex = (pattern: string, more: object = {}): object => ({
  ...BED,
  triggers: [{ kind: 'regex', pattern, ...more }],
})

describe('a regex trigger', () => {
  test('answers a message that it matches, without a model', async () => {
    await using it = await desk(
      handler('water', WATER, regex('^water (?<bed>b\\d+)$', { flags: 'i' })),
    )
    expect(issueLines(it.bundle.issues)).toEqual([])
    const turn = given(await it.face.ask({ text: 'Water b12' }))
    expect(turn.text).toBe('Watered b12.')
    expect(it.model.requests).toHaveLength(0)
    const { session } = turn
    given(await it.face.ask({ text: 'And the rest?', session }))
    expect(it.model.requests).toHaveLength(1)
    expect(given(await it.face.ask({ text: 'water b3', session })).text).toBe('Watered b3.')
    expect(it.model.requests).toHaveLength(1)
  })

  test('gives message and result to the model with `continueToLLM`', async () => {
    await using it = await desk(
      handler('water', WATER, regex('water (?<bed>b\\d+)', { continueToLLM: true })),
    )
    it.model.play(reply.text('It is wet now.'))
    expect(given(await it.face.ask({ text: 'Please water b12 today' })).text).toBe('It is wet now.')
    const asked = JSON.stringify(it.model.requests.at(-1)?.body.messages)
    expect(asked).toContain('Please water b12 today')
    expect(asked).toContain('Watered b12.')
  })

  test('is chosen by the names of tools, and its groups must fit the parameters', async () => {
    await using it = await desk({
      ...handler('b_second', "export default () => 'second'", regex('water (?<bed>.+)')),
      ...handler('a_first', "export default () => 'first'", regex('water')),
    })
    expect(given(await it.face.ask({ text: 'water b1' })).text).toContain('bed')
    expect(it.model.requests).toHaveLength(0)
  })

  test('takes linear time for any message', async () => {
    await using it = await desk(handler('water', WATER, regex('^(a+)+(?<bed>b)$')))
    const begun = performance.now()
    given(await it.face.ask({ text: 'a'.repeat(5_000) }))
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  test('runs a tool that no model may call', async () => {
    await using it = await desk({
      'amodal/tools/water/tool.ts': `export default {
        id: 'water', exposure: { kind: 'operator-gated' }, llm_callable: false,
        base: { name: 'water', description: 'd', parametersJsonSchema: ${JSON.stringify(BED.parameters)} },
        triggers: [{ kind: 'regex', pattern: 'water (?<bed>b1)' }],
        handle: (ctx) => 'Watered ' + ctx.input.bed + '.',
      }`,
    })
    expect(issueLines(it.bundle.issues)).toEqual([])
    expect(given(await it.face.ask({ text: 'water b1' })).text).toBe('Watered b1.')
    expect((await it.call('water', { bed: 'b1' })).code).toBe('TOOL_UNKNOWN')
  })

  test('asks a person where the tool does', async () => {
    await using it = await desk(
      handler('water', WATER, { ...regex('water (?<bed>b1)'), confirm: true }),
    )
    const { pending, session } = given(await it.face.ask({ text: 'water b1' }))
    expect(pending).toHaveLength(1)
    const approved = await it.approve({
      status: '',
      output: null,
      ms: 0,
      events: [],
      pending,
      session,
    })
    expect(said(approved)).toContain('Watered b1.')
  })
})

test.each<readonly [string, object, string]>([
  ['a pattern that is none', regex('('), 'its pattern cannot be used'],
  ['look-around', regex('(?<=a)b'), 'its pattern cannot be used'],
  ['unknown flags', regex('a', { flags: 'g' }), 'are no flags'],
  ['an unknown field', regex('a', { once: true }), '`triggers[0].once`'],
  ['an unknown kind', { triggers: [{ kind: 'email' }] }, 'regex, schedule, invoke'],
  ['no list', { triggers: 'regex' }, '`triggers`'],
  ['no cron', { triggers: [{ kind: 'schedule' }] }, 'cron'],
  ['a cron that is none', { triggers: [{ kind: 'schedule', cron: 'daily' }] }, 'five fields'],
  ['an execution that is none', { execution: 'fast' }, '`execution`'],
  ['a request that is not recorded', { triggers: [{ kind: 'invoke' }] }, 'durable'],
])('a tool with %s is left out', async (_what, more, message) => {
  await using it = await desk(handler('water', WATER, more))
  expect(customTools(it.bundle)).toEqual([])
  const [first] = issueLines(it.bundle.issues)
  expect(first).toMatch(/^error tools\/water\/tool\.json/)
  expect(first).toContain(message)
})

describe('a durable tool', () => {
  const durable = (code: string, more: object = {}): Readonly<Record<string, string>> =>
    handler('work', `export default async (params, ctx) => { ${code} }`, {
      execution: 'durable',
      uses: { tools: ['pump'] },
      ...more,
    })
  const PUMP = handler(
    'pump',
    "export default (_, ctx) => ctx.request('farm', '/pump', { method: 'POST' })",
  )

  test('begins anew after a question, and makes each of its calls once', async () => {
    let count = 0
    await using api = await startApi(() => ({ count: ++count }))
    await using it = await desk(
      {
        ...PUMP,
        ...durable(`
          const first = [ctx.now(), ctx.random(), await ctx.callTool('pump')]
          const { approved, note, respondedBy } = await ctx.waitForApproval('Pump again?')
          const second = await ctx.callTool('pump')
          return { first, approved, note, respondedBy, second, later: ctx.now() > first[0], other: ctx.random() !== first[1] }`),
      },
      { api: api.url },
    )
    expect(issueLines(it.bundle.issues)).toEqual([])
    const waiting = await it.call('work')
    expect(waiting.status).toBe('waits')
    expect(count).toBe(1)
    const [ask] = waiting.pending
    if (!ask) throw new Error('nothing was asked')
    expect(JSON.stringify(ask.context)).toContain('Pump again?')
    const rest = given(await it.face.follow(waiting.session, undefined))
    given(
      await it.face.answer(waiting.session, [
        { id: ask.id, answer: { answers: { approved: 'yes', note: 'once' } } },
      ]),
    )
    for await (const _frame of rest) continue
    const { entries } = given(await it.face.session(waiting.session))
    const [outcome] = entries.flatMap((one) => (one.kind === 'tool_outcome' ? [one] : []))
    expect(outcome?.output).toMatchObject({
      first: [expect.any(Number), expect.any(Number), { count: 1 }],
      approved: true,
      note: 'once',
      respondedBy: 'me',
      second: { count: 2 },
      later: true,
      other: true,
    })
    expect(count).toBe(2)
    // What others gave to the call is nothing for clients.
    const notes = entries.filter(({ kind }) => kind === 'note')
    expect(notes.length).toBeGreaterThan(4)
    expect(JSON.stringify(notes)).not.toContain('count')
  })

  test('waits for a time', async () => {
    await using it = await desk(
      durable(`
        const begun = await ctx.now()
        await ctx.sleepUntil(new Date(begun + 10_000))
        return { slept: Date.now() - begun >= 10_000 }`),
    )
    const waiting = await it.call('work')
    expect(waiting.status).toBe('waits')
    await expect
      .poll(
        async () => {
          const { entries } = given(await it.face.session(waiting.session))
          return entries.flatMap((one) => (one.kind === 'tool_outcome' ? [one.output] : []))
        },
        { timeout: 60_000 },
      )
      .toEqual([{ slept: true }])
  })

  test('reaches nothing that is not recorded', async () => {
    await using it = await desk(
      durable(`return fetch('https://example.com').catch((error) => error.message)`),
    )
    expect(said(await it.call('work'))).toContain('whose results are recorded')
  })

  test('is the only one with these members', async () => {
    await using it = await desk(
      handler('plain', 'export default (_, ctx) => [typeof ctx.now, typeof ctx.sleepUntil]'),
    )
    expect(said(await it.call('plain'))).toContain('"undefined","undefined"')
  })
})
