import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { PROVIDERS, talk, warningsOf, wordsOf } from './support/provider-talk.ts'

// How replies end, and what becomes of it, for each protocol: an agent on one side, a scripted
// endpoint on the other.

describe.each(PROVIDERS)('%s: a reply is over with its last event', (provider) => {
  test('on a connection that stays open', async () => {
    const { model, say } = await talk(
      provider,
      reply.text(['All ', 'said.'], { ending: { kind: 'lingers' } }),
    )
    const events = await say('Hello?')
    expect(wordsOf(events)).toBe('All said.')
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      reason: 'model_stop',
      usage: { input_tokens: 100 },
    })
    expect(model.count, 'asked once').toBe(1)
  })

  test('and a call that comes behind it is never executed', async () => {
    const late = reply.toolCalls(
      { name: 'note', arguments: { text: 'late' } },
      { before: 'And more.' },
    )
    const { noted, say } = await talk(
      provider,
      reply.text(['All said.'], { ending: { kind: 'lingers', late } }),
    )
    const events = await say('Hello?')
    expect(wordsOf(events)).toBe('All said.')
    expect(events.filter(({ type }) => type.startsWith('tool_call'))).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    expect(noted).toEqual([])
  })

  test.each([
    ['as one document', { unstreamed: true }],
    ['in lines that end in CR', { lineEnd: '\r' }],
    ['in lines that end in CRLF', { lineEnd: '\r\n' }],
  ] as const)('where it comes %s', async (_how, form) => {
    const { noted, say } = await talk(
      provider,
      reply.toolsThenText({ name: 'note', arguments: { text: 'a' } }, 'Noted.', form),
    )
    const events = await say('Hello?')
    expect(wordsOf(events)).toBe('Noted.')
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      reason: 'model_stop',
      usage: { input_tokens: 200 },
    })
    expect(noted).toEqual(['a'])
  })
})

describe.each(PROVIDERS)('%s: a reply that is not whole', (provider) => {
  test.each([
    ['length', /token limit/],
    ['content_filter', /content filter/],
  ] as const)(
    'for the reason %s is told of with a warning, and the turn ends as usual',
    async (finishReason, words) => {
      const { say } = await talk(provider, reply.text(['half ', 'of'], { finishReason }))
      const events = await say('Hello?')
      expect(wordsOf(events)).toBe('half of')
      expect(warningsOf(events)).toEqual([expect.stringMatching(words)])
      expect(events.slice(-2).map(({ type }) => type)).toEqual(['warning', 'done'])
      expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'model_stop' })
    },
  )

  test('has calls that are never executed', async () => {
    const cut = reply.toolCalls(
      { name: 'note', arguments: { text: 'half of what was me' } },
      { finishReason: 'length' },
    )
    const { noted, say } = await talk(provider, [cut, reply.text('I will be brief.')])
    const events = await say('Hello?')
    expect(noted).toEqual([])
    expect(warningsOf(events)).toEqual([expect.stringMatching(/token limit/)])
    expect(wordsOf(events)).toBe('I will be brief.')
  })

  test('counts what was said before it broke off', async () => {
    const { say } = await talk(
      provider,
      reply.text(['one two three ', 'four five six '], {
        ending: { kind: 'cut', after: 2 },
        pace: 5,
      }),
      { profiles: [] },
    )
    const events = await say('Hello?')
    const { usage } = events.find((event) => event.type === 'done') ?? expect.fail('no done')
    expect(usage?.output_tokens).toBeGreaterThan(2)
    expect(usage?.input_tokens).toBeGreaterThan(2)
  }, 60_000)
})
