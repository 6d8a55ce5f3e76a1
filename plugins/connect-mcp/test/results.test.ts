import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '@amodal/sdk'
import { contentText } from '@amodal/sdk/testing'
import { statefulServer } from './servers/stateful.ts'
import { agentWith } from './support/agent.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const BINARY = Buffer.from(Array.from({ length: 40_000 }, (_, at) => (at * 7919) % 251)).toString(
  'base64',
)
const text = (said: string, more: JsonObject = {}): JsonObject => ({
  type: 'text',
  text: said,
  ...more,
})
const image = (more: JsonObject = {}): JsonObject => ({
  type: 'image',
  mimeType: 'image/png',
  data: PNG,
  ...more,
})
const only = (audience: string): JsonObject => ({ annotations: { audience: [audience] } })

interface Seen {
  readonly model: string
  readonly images: readonly string[]
  readonly result: string | undefined
  readonly content: unknown
}

/** What the model is told of a result, and what the client is. */
async function see(result: JsonObject, config: JsonObject = {}): Promise<Seen> {
  const server = await statefulServer({ result: () => result })
  onTestFinished(() => server.close())
  const agent = await agentWith({
    connections: { remote: { transport: 'http', url: server.url, trust: true } },
    config,
  })
  const turn = await agent.call('remote__act')
  const messages = agent.told().at(-1)?.messages ?? []
  const parts = messages.flatMap(({ role, content }) =>
    role === 'user' && Array.isArray(content)
      ? (content as readonly {
          readonly type: string
          readonly image_url?: { readonly url: string }
        }[])
      : [],
  )
  return {
    model: contentText(messages.find(({ role }) => role === 'tool')),
    images: parts.flatMap((part) => part.image_url?.url ?? []),
    result: turn.result,
    content: turn.events.flatMap((event) =>
      event.type === 'tool_call_result' ? [event.content] : [],
    )[0],
  }
}

describe('a result that is told as text and as data', () => {
  it.each([
    [
      'as JSON with its keys in another order',
      [text('{"b": [1, 2],\n "a": "x"}')],
      { a: 'x', b: [1, 2] },
    ],
    ['in a fence', [text('```json\n{"a": "x"}\n```')], { a: 'x' }],
    ['wrapped, since it is no object', [text('just words')], { result: 'just words' }],
    [
      'wrapped, a block for each item of a list',
      [text('{"id":1}'), text('{"id":2}')],
      { result: [{ id: 1 }, { id: 2 }] },
    ],
  ])('%s: reaches the model once', async (_, content, structuredContent) => {
    expect(JSON.parse((await see({ content, structuredContent })).model)).toEqual(structuredContent)
  })

  it('with words of its own: both reach it', async () => {
    expect(
      JSON.parse(
        (
          await see({
            content: [text('Warm, and rather humid.')],
            structuredContent: { temperature: 31 },
          })
        ).model,
      ),
    ).toEqual({ text: 'Warm, and rather humid.', data: { temperature: 31 } })
  })

  it('that failed: the data says why where no text does', async () => {
    expect(
      (await see({ isError: true, content: [], structuredContent: { reason: 'full' } })).model,
    ).toContain('{"reason":"full"}')
  })
})

describe('binary data', () => {
  it.each([
    ['in the data', { content: [], structuredContent: { name: 'a.bin', bytes: BINARY } }],
    [
      'in the data, as a URI',
      { content: [], structuredContent: { bytes: `data:application/pdf;base64,${BINARY}` } },
    ],
    ['as a text', { content: [text(BINARY)] }],
    [
      'as a resource',
      { content: [{ type: 'resource', resource: { uri: 'file:///a.bin', blob: BINARY } }] },
    ],
    ['as audio', { content: [{ type: 'audio', mimeType: 'audio/wav', data: BINARY }] }],
  ])('%s reaches the model as what it is, not as characters', async (_, result) => {
    const { model } = await see(result)
    expect(model.length).toBeLessThan(300)
    expect(model).toContain('40 kB')
  })

  it('that is text is left as it is: a model has to be able to repeat a cursor', async () => {
    const cursor = Buffer.from(JSON.stringify({ after: 'x'.repeat(6_000) })).toString('base64')
    expect((await see({ content: [], structuredContent: { cursor } })).model).toContain(cursor)
  })
})

describe('images', () => {
  const url = `data:image/png;base64,${PNG}`

  it.each([
    ['a block', { content: [image()] }],
    ['said to be of another type', { content: [image({ mimeType: 'image/jpeg' })] }],
    [
      'a resource',
      {
        content: [
          {
            type: 'resource',
            resource: { uri: 'file:///a.png', mimeType: 'image/png', blob: PNG },
          },
        ],
      },
    ],
    ['in the data', { content: [], structuredContent: { picture: PNG } }],
    ['in the data and a block', { content: [image()], structuredContent: { picture: url } }],
  ])('%s: reach the model and the client as images', async (_, result) => {
    const { model, images, content } = await see(result)
    expect(images).toEqual([url])
    expect(model).not.toContain(PNG.slice(0, 40))
    expect(content).toContainEqual({ type: 'image', mimeType: 'image/png', data: PNG })
  })

  it('that are none reach nobody, and the model is told', async () => {
    const { model, images, content } = await see({ content: [image({ data: 'bm90IGFuIGltYWdl' })] })
    expect([images, content]).toEqual([[], undefined])
    expect(model).toContain('image left out: image/png')
  })
})

describe('audiences and priorities', () => {
  it('what is for one of them reaches that one alone', async () => {
    const { model, images, result, content } = await see({
      content: [
        text('for both'),
        text('for the person', only('user')),
        text('for the model', only('assistant')),
        image(only('user')),
      ],
    })
    expect(model).toBe('for both\nfor the model')
    expect(images).toEqual([])
    expect(result).toBe('for both\nfor the person')
    expect(content).toEqual([
      { type: 'text', text: 'for both' },
      { type: 'text', text: 'for the person' },
      { type: 'image', mimeType: 'image/png', data: PNG },
    ])
  })

  it('the model is told of a result that is for the person alone', async () => {
    const { model, result } = await see({ content: [text('your code is 1234', only('user'))] })
    expect(model).toContain('for the person alone')
    expect(result).toBe('your code is 1234')
  })

  it('of too much text, what matters least is cut', async () => {
    const rate = (said: string, priority: number): JsonObject =>
      text(said, { annotations: { priority } })
    const { model } = await see(
      {
        content: [rate('a'.repeat(400), 0.1), rate('b'.repeat(400), 1), rate('c'.repeat(400), 0.5)],
      },
      { resultChars: 900 },
    )
    expect([
      model.match(/a/g)?.length ?? 0,
      model.match(/b{2,}/)?.[0].length,
      model.match(/c{2,}/)?.[0].length,
    ]).toEqual([expect.toSatisfy((count: number) => count < 150), 400, 400])
  })
})
