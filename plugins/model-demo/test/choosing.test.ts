import { describe, expect, test } from 'vitest'
import { Conversation, NOTICE, tool } from './agent.ts'
import { DEALS, TEXTS, TOOLS } from './tools.ts'

/** The calls that a message leads to, as `name {arguments}`. */
async function calls(message: string, tools = TOOLS): Promise<readonly string[]> {
  const said = await new Conversation(tools, TEXTS).say(message)
  return said.calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`)
}

describe('a question about data reads it', () => {
  test.each([
    ['What is in the tickets store?', ['query_store {"store":"tickets"}']],
    ['Show me the deals', ['query_store {"store":"deals"}']],
    ['can you please list the deal notes?', ['query_store {"store":"deal-notes"}']],
    ['How many tickets are there?', ['query_store {"store":"tickets"}']],
    ['Which deals are won?', ['query_store {"store":"deals","filter":{"stage":"won"}}']],
    [
      'urgent tickets of severity P1',
      ['query_store {"store":"tickets","filter":{"severity":"P1","urgent":true}}'],
    ],
    ['show ticket T-1001', ['query_store {"store":"tickets","key":"T-1001"}']],
    [
      'top 3 deals sorted by amount, descending',
      ['query_store {"limit":3,"sort":"-amount","store":"deals"}'],
    ],
    [
      'List deals and tickets',
      ['query_store {"store":"deals"}', 'query_store {"store":"tickets"}'],
    ],
    ['Deals that are not won', ['query_store {"store":"deals"}']],
  ])('%s', async (message, expected) => {
    expect((await calls(message)).map(sorted)).toEqual(expected.map(sorted))
  })

  test('where no store is named, in all of them', async () => {
    const everywhere = ['deals', 'deal-notes', 'tickets'].map(
      (store) => `query_store {"store":"${store}"}`,
    )
    expect(await calls('What is in the store? List it.')).toEqual(everywhere)
    expect(await calls('list everything')).toEqual(everywhere)
  })

  test('where only a field is named, in the store that has it', async () => {
    expect(await calls('What is won?')).toEqual([
      'query_store {"store":"deals","filter":{"stage":"won"}}',
    ])
  })

  test('through any tool whose words fit', async () => {
    expect(await calls('What is the weather in Paris?')).toEqual(['get_weather {"city":"Paris"}'])
    expect(await calls('weather in San Francisco in fahrenheit, please')).toEqual([
      'get_weather {"unit":"fahrenheit","city":"San Francisco"}',
    ])
    const search = tool(
      'search_docs',
      'Searches the documentation.',
      { query: { type: 'string' } },
      ['query'],
    )
    expect(await calls('Search the docs for webhook signatures', [search])).toEqual([
      'search_docs {"query":"webhook signatures"}',
    ])
  })
})

describe('an order to change something', () => {
  test.each([
    [
      'Save a deal named Acme renewal with amount 5,000 and stage open',
      'store_deals',
      { deal_id: 'acme-renewal', name: 'Acme renewal', amount: 5000, stage: 'open' },
    ],
    [
      'Add a deal: deal id = d-9, name: "Big, very big", amount is 12000.50, stage: won, close date 2026-03-01',
      'store_deals',
      {
        deal_id: 'd-9',
        name: 'Big, very big',
        amount: 12000.5,
        stage: 'won',
        close_date: '2026-03-01T00:00:00.000Z',
      },
    ],
    [
      'Create ticket T-7: title "DB down", severity P1, urgent, tags: db and prod',
      'store_tickets',
      { ticket_id: 'T-7', title: 'DB down', severity: 'P1', urgent: true, tags: ['db', 'prod'] },
    ],
    [
      'Record ticket T-8, titled Slow search, severity P2, not urgent',
      'store_tickets',
      { ticket_id: 'T-8', title: 'Slow search', severity: 'P2', urgent: false },
    ],
    [
      'Deploy the service checkout to staging',
      'deploy_service',
      { service: 'checkout', environment: 'staging' },
    ],
  ])('%s', async (message, name, args) => {
    const said = await new Conversation(TOOLS, TEXTS).say(message)
    expect(said.calls).toMatchObject([{ name, args }])
    expect(Object.keys(said.calls[0]?.args as object).sort()).toEqual(Object.keys(args).sort())
  })

  test('asks for what is missing, and goes on with the answer', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    const asked = await talk.say('Add a deal called Gamma')
    expect(asked).toMatchObject({ calls: [], finish: 'stop' })
    expect(asked.text).toMatch(/`amount` \(number\)[\s\S]*`stage` \(one of open, won, lost\)/)
    expect(asked.text).not.toContain('`name`')
    expect((await talk.say('amount: 77')).text).toMatch(
      /^To call `store_deals` I still need:\n\n- `stage`/,
    )
    expect((await talk.say('stage open')).calls).toMatchObject([
      { name: 'store_deals', args: { deal_id: 'gamma', name: 'Gamma', amount: 77, stage: 'open' } },
    ])
  })

  test('asks for nothing any more when the subject changes', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    await talk.say('Add a deal called Gamma')
    expect((await talk.say('Show me the tickets')).calls).toMatchObject([
      { name: 'query_store', args: { store: 'tickets' } },
    ])
  })

  test('reads a record before it changes it, and keeps the rest of it', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    expect((await talk.say('Set the stage of deal d-1 to won')).calls).toMatchObject([
      { name: 'query_store', args: { store: 'deals', key: 'd-1' } },
    ])
    const wrote = await talk.result({
      key: 'd-1',
      version: 2,
      deal_id: 'd-1',
      name: 'Acme',
      amount: 5,
      stage: 'open',
    })
    expect(wrote.calls).toMatchObject([
      { name: 'store_deals', args: { deal_id: 'd-1', name: 'Acme', amount: 5, stage: 'won' } },
    ])
    const done = await talk.result({ stored: true, key: 'd-1', version: 3 })
    expect(done).toMatchObject({ calls: [], text: expect.stringMatching(/^Done: `store_deals`/) })
  })

  test('finds the record by another of its fields', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    await talk.say('Change the stage of the Beta deal to lost')
    const wrote = await talk.result({
      documents: [
        { deal_id: 'd-1', name: 'Lost cause', amount: 5, stage: 'lost' },
        { deal_id: 'd-2', name: 'Beta', amount: 7, stage: 'open' },
      ],
    })
    expect(wrote.calls).toMatchObject([
      { name: 'store_deals', args: { deal_id: 'd-2', stage: 'lost', amount: 7 } },
    ])
  })

  test.each([
    [
      'Set the stage of "Acme renewal" to won',
      { deal_id: 'd-1', name: 'Acme renewal', stage: 'won' },
    ],
    [
      'Change the name of deal d-1 to Acme extension',
      { deal_id: 'd-1', name: 'Acme extension', stage: 'open' },
    ],
    ['Update deal d-1: amount is 6,500', { deal_id: 'd-1', name: 'Acme renewal', amount: 6500 }],
  ])('takes what identifies a record for no new value: %s', async (message, args) => {
    const talk = new Conversation(TOOLS, TEXTS)
    await talk.say(message)
    expect((await talk.result(DEALS)).calls).toMatchObject([{ name: 'store_deals', args }])
  })

  test('tells the record from others that have the new value already', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    await talk.say('Mark ticket T-7 as P2')
    const wrote = await talk.result({
      documents: [
        { ticket_id: 'T-7', title: 'A', severity: 'P1' },
        { ticket_id: 'T-8', title: 'B', severity: 'P2' },
      ],
    })
    expect(wrote.calls).toMatchObject([
      { name: 'store_tickets', args: { ticket_id: 'T-7', title: 'A', severity: 'P2' } },
    ])
  })

  test('changes nothing where it cannot tell which, or there is none', async () => {
    const talk = new Conversation(TOOLS, TEXTS)
    await talk.say('Set the stage of the deal to won')
    const unsure = await talk.result({
      documents: [
        { deal_id: 'd-1', name: 'A', amount: 5, stage: 'open' },
        { deal_id: 'd-2', name: 'B', amount: 7, stage: 'open' },
      ],
    })
    expect(unsure).toMatchObject({ calls: [], text: expect.stringContaining('cannot tell which') })
    await talk.say('Set the stage of the Beta deal to won')
    expect(
      await talk.result({
        documents: [{ deal_id: 'd-1', name: 'Acme', amount: 5, stage: 'open' }],
      }),
    ).toMatchObject({ calls: [], text: expect.stringContaining('cannot tell which') })
    await talk.say('Set the stage of deal d-77 to won')
    expect(await talk.result({ found: false, key: 'd-77' })).toMatchObject({
      calls: [],
      text: expect.stringContaining('found nothing'),
    })
  })
})

describe('nothing has an effect that was not ordered', () => {
  test.each([
    'Is there a deal we should store?',
    'What would you store in tickets?',
    'Which tickets did we create?',
    'Tell me about the deal Acme',
    'deals?',
    'store',
    'delete deal d-1',
    'Why is the stage of the deal open?',
  ])('%s', async (message) => {
    expect((await calls(message)).filter((call) => !call.startsWith('query_store'))).toEqual([])
  })

  test.each([
    'At present, what is in the tickets store?',
    'Please stop worrying and show the deals',
    'The user asked for the deals',
    'Show the deals as a data-table',
    'Present the deals',
    'What does the user want?',
    'stop',
  ])('the tools that steer a turn stay untouched: %s', async (message) => {
    expect(
      (await calls(message)).filter((call) => /^(?:present|stop_execution|ask_user)/.test(call)),
    ).toEqual([])
  })

  test('but are used where their name is called', async () => {
    expect(await calls('Stop execution')).toEqual(['stop_execution {}'])
    expect(await calls('Ask the user: "Which region?"')).toEqual([
      'ask_user {"question":"Which region?"}',
    ])
  })
})

describe('what no tool can do', () => {
  test.each([
    ['What is the refund policy?', /30 days of purchase/],
    ['How do I escalate a ticket?', /lead of the rota/],
    ['How long is the vacation?', /28 days/],
    ['What does P1 mean?', /Escalate P1/],
  ])('is looked for in the texts of the agent: %s', async (message, expected) => {
    const said = await new Conversation(TOOLS, TEXTS).say(message)
    expect(said.calls).toEqual([])
    expect(said.text).toMatch(/closest I find in this agent's own texts/)
    expect(said.text).toMatch(expected)
  })

  test('is quoted with the heading it stands under', async () => {
    const texts =
      '# Knowledge\n\n<document name="a" title="Freezes">\nNothing is deployed in December.\n\nNot even a little.\n</document>\n\n<skill name="Handover">\nSum up the shift.\n</skill>'
    expect((await new Conversation([], texts).say('When is nothing deployed?')).text).toContain(
      '**Freezes**\n\nNothing is deployed in December.\n\nNot even a little.',
    )
    expect((await new Conversation([], texts).say('What of the shift?')).text).toMatch(
      /\*\*Handover\*\*\n\nSum up the shift\.$/,
    )
  })

  test.each(['2+2?', 'Write a poem about the sea', 'asdf qwer', '', '???'])(
    'is said: %s',
    async (message) => {
      const said = await new Conversation(TOOLS, TEXTS).say(message)
      expect(said).toMatchObject({
        calls: [],
        text: expect.stringMatching(/match words, and found (?:neither|no tool)/),
      })
    },
  )

  test.each(['hello', 'What can you do?', 'help'])(
    'and what it can do is told: %s',
    async (message) => {
      const said = await new Conversation(TOOLS, TEXTS).say(message)
      for (const { name } of TOOLS) expect(said.text).toContain(`\`${name}\``)
      expect(said.calls).toEqual([])
    },
  )

  test('an agent without tools and texts still gets an answer', async () => {
    for (const message of ['hello', 'What is in the store?', 'Save this'])
      expect((await new Conversation([], '').say(message)).text.length).toBeGreaterThan(
        NOTICE.length + 20,
      )
  })
})

function sorted(call: string): string {
  const [name = '', json = '{}'] = call.split(/ (.*)/s)
  return `${name} ${JSON.stringify(Object.entries(JSON.parse(json) as object).sort())}`
}
