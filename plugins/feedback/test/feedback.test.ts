import { sessionId } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { boot, STORAGES, TurnedClock, type Door, type Json } from './support.ts'

const listOf = async (door: Door, query = '', who = {}): Promise<readonly Json[]> =>
  (await door.json(`/api/feedback${query}`, who))['feedback'] as readonly Json[]

describe.each(STORAGES)('feedback in %s', (_, storage) => {
  test('an opinion is stored with its answer, replaced, and taken back', async () => {
    const clock = new TurnedClock()
    const door = await boot({ storage: storage(), clock })
    const session = await door.ask('How much is it?')

    const first = await door.post({ session_id: session, rating: 'up' })
    expect(first.status).toBe(200)
    const given = (await first.json()) as Json
    expect(given).toMatchObject({ ok: true, session_id: session, rating: 'up' })
    expect(await listOf(door)).toMatchObject([
      {
        id: given['id'],
        session_id: session,
        message_id: given['message_id'],
        run_id: given['run_id'],
        principal: 'ann',
        rating: 'up',
        categories: [],
        comment: null,
        at: '2026-05-01T09:00:00.000Z',
        question: 'How much is it?',
        answer: 'It is 42.',
        model: 'scripted',
        provider: 'openai-compatible',
      },
    ])

    clock.turn('2026-05-02T09:00:00Z')
    const replaced = await door.post({
      session_id: session,
      message_id: given['message_id'],
      rating: 'down',
      categories: ['incorrect', 'incorrect', 'too_slow'],
      comment: ' It is 41. ',
      tags: ['beta'],
    })
    expect(await replaced.json()).toMatchObject({ id: given['id'], rating: 'down' })
    expect(await listOf(door)).toMatchObject([
      {
        id: given['id'],
        rating: 'down',
        categories: ['incorrect', 'too_slow'],
        comment: 'It is 41.',
        tags: ['beta'],
        at: '2026-05-02T09:00:00.000Z',
      },
    ])

    await door.post({ session_id: session, message_id: given['run_id'], rating: null })
    expect(await listOf(door)).toEqual([])
    expect((await door.post({ session_id: session, rating: null })).status).toBe(200)
    const announced = door.events.filter(({ type }) => type === 'feedback.given')
    expect(announced).toMatchObject([
      { session, rating: 'up' },
      { session, rating: 'down' },
      { session, rating: 'none' },
      { session, rating: 'none' },
    ])
  })

  test('each answer and each person has an opinion of its own', async () => {
    const door = await boot({ storage: storage() })
    const session = await door.ask('One?')
    await door.ask('Two?', {}, session)
    const { messages } = await door
      .client()
      .session(sessionId(session))
      .then((view) => ({
        messages: view.ok ? view.value.entries : [],
      }))
    const [one, two] = messages.filter(({ kind }) => kind === 'user_message').map(({ seq }) => seq)
    await door.post({ session_id: session, message_id: one, rating: 'down' })
    await door.post({ session_id: session, message_id: String(two), rating: 'up' })
    await door.post({ session_id: session, rating: 'down' }, { principal: 'ben' })
    expect(
      (await listOf(door))
        .map(({ question, rating, principal }) => [question, rating, principal])
        .toSorted(),
    ).toEqual([
      ['One?', 'down', 'ann'],
      ['Two?', 'down', 'ben'],
      ['Two?', 'up', 'ann'],
    ])
  })

  test('lists are filtered and have pages; sums count the same', async () => {
    const clock = new TurnedClock()
    const door = await boot({ storage: storage(), clock })
    const sessions: string[] = []
    for (const [at, rating, categories] of [
      ['2026-05-01T10:00:00Z', 'up', []],
      ['2026-05-01T11:00:00Z', 'down', ['incorrect', 'other']],
      ['2026-05-02T00:00:00Z', 'down', ['incorrect']],
    ] as const) {
      clock.turn(at)
      const session = await door.ask('Well?')
      sessions.push(session)
      await door.post({ session_id: session, rating, categories })
    }
    const found = async (query: string) =>
      (await listOf(door, query)).map(({ session_id: id }) => sessions.indexOf(String(id)))
    expect(await found('')).toEqual([2, 1, 0])
    expect(await found('?rating=down')).toEqual([2, 1])
    expect(await found('?category=other')).toEqual([1])
    expect(await found('?from=2026-05-01T11:00:00Z&to=2026-05-02')).toEqual([1])
    expect(await found(`?session_id=${sessions[0] ?? ''}&rating=`)).toEqual([0])

    const first = await door.json('/api/feedback?limit=2')
    expect(first['feedback']).toHaveLength(2)
    const rest = await door.json(`/api/feedback?limit=2&cursor=${String(first['next_cursor'])}`)
    expect(rest).toMatchObject({ feedback: [{ session_id: sessions[0] }], next_cursor: null })

    expect(await door.json('/api/feedback/stats')).toEqual({
      total: 3,
      ratings: { up: 1, down: 2 },
      categories: [
        { category: 'incorrect', up: 0, down: 2 },
        { category: 'other', up: 0, down: 1 },
      ],
      days: [
        { day: '2026-05-02', up: 0, down: 1 },
        { day: '2026-05-01', up: 1, down: 1 },
      ],
    })
    expect(await door.json('/api/feedback/stats?category=other')).toMatchObject({ total: 1 })
  })

  test('tenants are apart, and a session that somebody may not see is an unknown one', async () => {
    const door = await boot({ storage: storage() })
    const session = await door.ask('Secret?')
    const body = { session_id: session, rating: 'up' }
    const foreign = await door.post(body, { tenant: 'other' })
    const unknown = await door.post({ ...body, session_id: 'sess_unknown' })
    const malformed = await door.post({ ...body, session_id: '../x' })
    const hidden = await door.post(body, { principal: 'eve', own: true })
    const text = await unknown.text()
    for (const one of [foreign, malformed, hidden]) {
      expect(one.status).toBe(404)
      expect(await one.text()).toBe(text)
    }
    await door.post(body)
    expect(await listOf(door, '', { tenant: 'other' })).toEqual([])
    expect(await door.json('/api/feedback/stats', { tenant: 'other' })).toMatchObject({ total: 0 })
    expect(await (await door.get('/api/feedback/export', { tenant: 'other' })).text()).toBe('')
  })

  test('without the scope people read their own, and without that of chats nothing', async () => {
    const door = await boot({ storage: storage() })
    const session = await door.ask('Well?')
    const ben = { principal: 'ben', scopes: 'chat,sessions' }
    await door.post({ session_id: session, rating: 'up' })
    await door.post({ session_id: session, rating: 'down' }, ben)
    expect(await listOf(door, '', ben)).toMatchObject([{ principal: 'ben' }])
    expect(await listOf(door, '', { principal: 'ben', own: true })).toMatchObject([
      { principal: 'ben' },
    ])
    expect(await listOf(door)).toHaveLength(2)
    for (const path of ['/api/feedback/stats', '/api/feedback/export', '/api/studio/feedback'])
      expect((await door.get(path, ben)).status).toBe(403)
    expect((await door.get('/api/feedback', { scopes: 'stores' })).status).toBe(403)
    expect((await fetch(`${door.url}/api/feedback`)).status).toBe(401)
  })

  test('an export has everything, and nothing that a spreadsheet would run', async () => {
    const door = await boot({ storage: storage() })
    for (const comment of ['=HYPERLINK("x")', 'two\nlines, "quoted"', '']) {
      const session = await door.ask('Well?')
      await door.post({ session_id: session, rating: 'down', categories: ['a', 'b'], comment })
    }
    const lines = await door.get('/api/feedback/export?rating=down')
    expect(lines.headers.get('content-disposition')).toContain('feedback.jsonl')
    const rows = (await lines.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)
    expect(rows).toHaveLength(3)
    expect(rows[0]).toMatchObject({ rating: 'down', comment: null, categories: ['a', 'b'] })

    const csv = await (await door.get('/api/feedback/export?format=csv')).text()
    expect(csv).toMatch(/^id,at,rating,categories,comment,/)
    expect(csv).toContain(`"'=HYPERLINK(""x"")"`)
    expect(csv).toContain('"two\nlines, ""quoted"""')
    expect(csv).toContain('a; b')
    expect(await (await door.get('/api/feedback/export?rating=up')).text()).toBe('')
  })

  test('it goes with its session', async () => {
    const door = await boot({ storage: storage() })
    const session = await door.ask('Well?')
    await door.post({ session_id: session, rating: 'up' })
    await door.client().remove(sessionId(session))
    await expect.poll(() => listOf(door)).toEqual([])
  })
})

test('what is wrong with a request is said with its field', async () => {
  const door = await boot({ script: reply.text('Done.') })
  const session = await door.ask('Well?')
  const body = { session_id: session, rating: 'up' }
  for (const [change, field] of [
    [{ rating: 'meh' }, 'rating'],
    [{ rating: undefined }, 'rating'],
    [{ session_id: undefined }, 'session_id'],
    [{ comment: 'x'.repeat(4_001) }, 'comment'],
    [{ categories: Array.from({ length: 11 }, String) }, 'categories'],
    [{ categories: ['x'.repeat(61)] }, 'categories.0'],
    [{ message_id: 999 }, 'message_id'],
    [{ message_id: 'run_unknown' }, 'message_id'],
  ] as const) {
    const refused = await door.post({ ...body, ...change })
    expect(refused.status, field).toBe(400)
    const { error } = (await refused.json()) as { error: Json }
    expect(error['code']).toBe('VALIDATION_ERROR')
    expect(error['message']).toMatch(new RegExp(`^${field.replace('.', '\\.')}: `))
  }
  for (const [query, field] of [
    ['?rating=none', 'rating'],
    ['?from=yesterday', 'from'],
    ['?limit=0', 'limit'],
    ['?cursor=1.x', 'cursor'],
  ] as const)
    expect(await door.json(`/api/feedback${query}`)).toMatchObject({
      error: { code: 'VALIDATION_ERROR', message: expect.stringMatching(`^${field}: `) },
    })
  expect((await door.get('/api/feedback/export?format=xml')).status).toBe(400)
  const nulls = { message_id: null, categories: null, comment: null, tags: null, scope_id: null }
  expect((await door.post({ ...body, ...nulls })).status).toBe(200)
  const opened = await door.client().open()
  const empty = opened.ok ? opened.value.session : ''
  expect(await (await door.post({ ...body, session_id: empty })).json()).toMatchObject({
    error: { message: expect.stringMatching(/^session_id: there is no answer/) },
  })
})

test('amodal.json says which reasons are offered, and whether there are comments', async () => {
  const plain = await boot()
  const { categories } = await plain.json('/api/feedback/categories')
  expect((categories as readonly Json[]).map(({ id }) => id)).toEqual([
    'incorrect',
    'incomplete',
    'not_helpful',
    'too_slow',
    'unsafe',
    'other',
  ])
  const offer = { categories: [{ id: 'tone', label: 'Wrong tone' }], comments: false }
  const door = await boot({ offer })
  expect(await door.json('/api/feedback/categories')).toEqual(offer)
  const session = await door.ask('Well?')
  const refused = await door.post({ session_id: session, rating: 'down', comment: 'Hm.' })
  expect(await refused.json()).toMatchObject({
    error: { code: 'VALIDATION_ERROR', message: expect.stringMatching(/^comment: /) },
  })
  await door.post({ session_id: session, rating: 'down', categories: ['tone'] })
  const view = JSON.stringify(await door.json('/api/studio/feedback?rating=down&category=tone'))
  expect(view).toContain('Bad, Wrong tone')
  expect(view).toContain(session)
})
