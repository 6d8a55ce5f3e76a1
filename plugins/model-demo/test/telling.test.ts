import { describe, expect, test } from 'vitest'
import { Conversation, NOTICE } from './agent.ts'
import { DEALS, TEXTS, TOOLS } from './tools.ts'

/** What is said to a message, once its calls have these results. */
async function told(message: string, ...results: readonly unknown[]): Promise<string> {
  const talk = new Conversation(TOOLS, TEXTS)
  const said = await talk.say(message)
  expect(said.calls.length).toBe(results.length)
  return (await talk.result(...results)).text
}

describe('results are told', () => {
  test('as a table, with its cells escaped', async () => {
    const text = await told('Show me the deals', DEALS)
    expect(text).toContain('`query_store` on **deals** (3):')
    expect(text).toContain(
      '| deal_id | name | amount | stage |\n| --- | --- | --- | --- |\n| d-1 | Acme renewal | 5000 | open |',
    )
    expect(text).toContain('Gamma \\| Sons')
  })

  test('only those the message speaks of', async () => {
    const text = await told('Tell me about the deal Acme renewal', DEALS)
    expect(text).toContain('1 of 3 match')
    expect(text).not.toContain('Beta')
    expect(await told('Show the deals but not Beta', DEALS)).toContain('Beta')
  })

  test('with the number of all that there are', async () => {
    expect(await told('How many deals are there?', { ...DEALS, total: 120 })).toMatch(
      /^120, counted/,
    )
    expect(await told('Show me the deals', { ...DEALS, total: 120 })).toContain('3, of 120 in all')
  })

  test('one after the other where several were called', async () => {
    const text = await told('List deals and tickets', DEALS, { documents: [], total: 0 })
    expect(text.indexOf('Acme')).toBeLessThan(text.indexOf('on **tickets** found nothing'))
  })

  test('as fields where there is one record', async () => {
    const text = await told('What is the weather in Rome?', {
      temperature: 21,
      wind: { speed: 4, from: 'north' },
      warnings: ['sun', 'heat'],
      storm: null,
    })
    expect(text).toContain('- **temperature**: 21')
    expect(text).toContain('- **wind**: speed: 4; from: north')
    expect(text).toContain('- **warnings**: sun, heat')
  })

  test('the record inside of its envelope', async () => {
    const text = await told('Show me the deals', {
      documents: [
        { key: 'd-7', store: 'deals', version: 4, payload: { name: 'Inner', stage: 'open' } },
      ],
    })
    expect(text).toContain('| key | name | stage |')
  })

  test('as text where they are text', async () => {
    expect(await told('What is the weather in Rome?', 'Sunny.')).toContain('Sunny.')
    expect(await told('What is the weather in Rome?', [1, 2, 3])).toContain('| 3 |')
  })

  test('in bounds, however large they are', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({ n, long: 'x'.repeat(1_000) }))
    const text = await told('Show me the deals', rows)
    expect(text).toContain('… and 475 more.')
    expect(text.length).toBeLessThan(5_000)
    expect((await told('What is the weather in Rome?', 'y'.repeat(100_000))).length).toBeLessThan(
      5_000,
    )
  })
})

describe('a failure is told', () => {
  test('by its name, and the call is not repeated', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    await talk.say('Show me the deals')
    const said = await talk.result(new Error('The database is away.'))
    expect(said).toMatchObject({
      calls: [],
      finish: 'stop',
      text: '`query_store` failed: The database is away. I did not try it again.',
    })
  })

  test('beside what went well', async () => {
    const text = await told('List deals and tickets', new Error('no such store'), {
      documents: [{ title: 'DB down' }],
    })
    expect(text).toContain('failed: no such store. I did not')
    expect(text).toContain('DB down')
  })

  test('also of a change', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    await talk.say('Set the stage of deal d-1 to won')
    expect(await talk.result(new Error('gone'))).toMatchObject({
      calls: [],
      text: expect.stringContaining('failed: gone'),
    })
  })
})

describe('the notice', () => {
  test('stands before the first reply, also before a call, and nowhere else', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    const first = await talk.say('Show me the deals')
    expect(first.text).toBe(`${NOTICE}\n\n`)
    expect(first.calls).toHaveLength(1)
    expect((await talk.result(DEALS)).text).not.toContain(NOTICE)
    expect((await talk.say('hello')).text).not.toContain(NOTICE)
    expect((await new Conversation(TOOLS, TEXTS).say('hello')).text.startsWith(NOTICE)).toBe(true)
  })
})
