import {
  defineError,
  defineEvent,
  definePlugin,
  defineTool,
  explain,
  Kernel,
  resolvePlan,
  use,
  type AgentEvent,
  type Plugin,
} from '@amodal/sdk'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'

const Gone = defineError({ code: 'BIKE_GONE', status: 410, fix: 'choose another' })
const Shown = defineEvent({
  type: 'bikes.shown',
  about: 'A bike is shown.',
  data: z.object({ frame: z.string() }),
})
const bikes = (more: Partial<Parameters<typeof definePlugin>[0]> = {}): Plugin<unknown> =>
  definePlugin({
    name: 'bikes',
    version: '1.0.0',
    errors: [Gone],
    events: [Shown],
    setup: () => undefined,
    ...more,
  })

test('an error of a plugin is a value with its code, its next step and its status', () => {
  expect(Gone('F-1 was sold', { details: { frame: 'F-1' } })).toEqual({
    code: 'BIKE_GONE',
    message: 'F-1 was sold',
    fix: 'choose another',
    status: 410,
    details: { frame: 'F-1' },
  })
})

test('an event says what is wrong with its data, and its schema is known', () => {
  expect(() => Shown({ frame: 7 } as never)).toThrow(/bikes\.shown.*frame/)
  expect(Shown.jsonSchema()).toMatchObject({ properties: { frame: { type: 'string' } } })
})

describe('a start is refused', () => {
  const refusal = async (...plugins: readonly Plugin<unknown>[]): Promise<string> => {
    const made = await Kernel.create(plugins.map((plugin) => use(plugin)))
    if (made.ok) await made.value.close('not refused')
    return made.ok ? '' : explain(made.error)
  }
  test.each([
    [
      'for a code that two have',
      [bikes(), bikes({ name: 'cars', events: [] })],
      /DUPLICATE_NAME.*cars and bikes both define the error code "BIKE_GONE"\n.*fix: list one/s,
    ],
    [
      'for an event that two have',
      [bikes({ errors: [] }), bikes({ errors: [] })],
      /two different plugins are called "bikes"/,
    ],
    [
      "for one of Amodal's own",
      [bikes({ errors: [defineError({ code: 'NOT_FOUND', fix: 'x' })] })],
      /NOT_FOUND is one of Amodal's own/,
    ],
    [
      'for one that is spelled otherwise',
      [bikes({ errors: [defineError({ code: 'bike gone', fix: 'x' })] })],
      /"bike gone" is no code/,
    ],
    [
      'for an event with the name of another plugin',
      [bikes({ name: 'cars' })],
      /"bikes\.shown" is no type for an event of cars: write "cars\.something_happened"/,
    ],
  ])('%s', async (_, plugins, says) => {
    expect(await refusal(...plugins)).toMatch(says)
  })
})

test('two names do not make room for one event type, and nothing was set up', () => {
  let setUp = 0
  const setup = (): void => void setUp++
  const plan = resolvePlan([
    use(bikes({ setup })),
    use(bikes({ errors: [], setup }), {}, { as: 'more-bikes' }),
  ])
  expect(plan).toMatchObject({
    ok: false,
    error: [
      {
        code: 'DUPLICATE_NAME',
        plugins: ['more-bikes', 'bikes'],
        message: 'more-bikes and bikes both define the event type "bikes.shown"',
      },
    ],
  })
  expect(setUp).toBe(0)
})

test('a plugin that is listed twice defines its errors and events once', async () => {
  const twice = bikes()
  const made = await Kernel.create([use(twice), use(twice, {}, { as: 'more-bikes' })])
  expect(made.ok || explain(made.error)).toBe(true)
  if (made.ok) await made.value.close('looked at')
})

test.each([
  ['an event that is listed is told', [Shown], { type: 'bikes.shown', data: { frame: 'F-1' } }],
  [
    'in place of one that is not listed, a warning is',
    [],
    { type: 'warning', code: 'UNDECLARED', message: expect.stringContaining('bikes.shown') },
  ],
])('%s', async (_, events, told) => {
  const model = await startModelServer({
    script: reply.toolsThenText({ name: 'show_bike', arguments: {} }, 'There it is.'),
  })
  onTestFinished(() => model.close())
  const agent = await createAgent({
    provider: 'openai-compatible',
    providerConfig: { baseUrl: model.url, model: 'scripted' },
    apiKey: 'none',
    plugins: [
      use(
        definePlugin({
          name: 'bikes',
          version: '1.0.0',
          events,
          setup({ addTool }) {
            addTool(
              defineTool({
                name: 'show_bike',
                description: 'Shows a bike.',
                readOnly: true,
                input: z.object({}),
                execute: () =>
                  Promise.resolve({
                    status: 'success',
                    output: 'shown',
                    events: [Shown({ frame: 'F-1' })],
                  }),
              }),
            )
          },
        }),
      ),
    ],
  })
  onTestFinished(() => agent.shutdown())
  const session = await agent.createSession()
  const heard: AgentEvent[] = []
  for await (const event of session.stream('Show me a bike')) heard.push(event)
  expect(heard).toContainEqual(expect.objectContaining(told))
})
