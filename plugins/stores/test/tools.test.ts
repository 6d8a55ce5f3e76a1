import { definePlugin, err, failure, SHARED_TENANT, StoreBackend, use } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { alert, ALERTS, desk } from './support.ts'

const stored = (key: string, version: number) => ({
  status: 'success',
  output: { stored: true, key, version, ...(version > 1 && { previousVersion: version - 1 }) },
})

describe('what the model is offered', () => {
  test('one tool to read them all and one to delete, two to write each', async () => {
    await using agent = await desk([ALERTS, { ...ALERTS, name: 'deals' }])
    expect(agent.names).toEqual([
      'query_store',
      'store_active_alerts',
      'store_active_alerts_batch',
      'store_deals',
      'store_deals_batch',
      'delete_from_store',
    ])
    await using none = await desk([])
    expect(none.names).toEqual([])
    expect(none.prompt()).toBe('')
  })

  test('the schema says what each field takes', async () => {
    await using agent = await desk()
    expect(agent.schema('store_active_alerts')).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['id', 'service', 'title', 'severity', 'open', 'at'],
      properties: {
        id: { type: 'number', minimum: 1, maximum: 1_000 },
        service: { type: 'string', description: 'key of a document in services' },
        title: { type: 'string', description: 'In one line' },
        severity: { type: 'string', enum: ['P1', 'P2', 'P3'] },
        open: { type: 'boolean' },
        at: { type: 'string', format: 'date-time' },
        tags: { type: ['array', 'null'], items: { type: 'string' } },
        owner: {
          type: ['object', 'null'],
          properties: { name: { type: 'string' }, phone: { type: ['string', 'null'] } },
          required: ['name'],
          additionalProperties: false,
        },
        rating: { type: ['string', 'null'], enum: ['low', 'high', null] },
      },
    })
    expect(agent.schema('query_store')).toMatchObject({
      properties: { store: { enum: ['active-alerts'] }, limit: { maximum: 100 } },
      required: ['store'],
    })
  })

  test('the prompt names fields and tools, and no document', async () => {
    await using agent = await desk([{ ...ALERTS, seed: [alert(1, { title: 'The secret party' })] }])
    expect(agent.prompt()).toContain(
      '- active-alerts (Alert, key {service}:{id}): id: number, service: key of services, title: string, severity: P1|P2|P3',
    )
    expect(agent.prompt()).toContain(
      'Read with query_store, write with store_active_alerts or store_active_alerts_batch.',
    )
    expect(agent.prompt()).not.toContain('party')
  })

  test('older names are resolved and not listed', async () => {
    await using agent = await desk()
    expect(await agent.call('write_active_alerts', alert(1))).toEqual(stored('api:1', 1))
    expect(await agent.call('active_alerts_batch', { items: [alert(2)] })).toMatchObject({
      output: { keys: ['api:2'] },
    })
    expect(agent.names).not.toContain('write_active_alerts')
  })
})

describe('a write', () => {
  test('puts the document under the key its template makes, and replaces it there', async () => {
    await using agent = await desk()
    expect(await agent.call('store_active_alerts', alert(7))).toEqual(stored('api:7', 1))
    expect(await agent.call('store_active_alerts', alert(7, { open: false }))).toEqual(
      stored('api:7', 2),
    )
    expect(await agent.call('query_store', { store: 'active-alerts', key: 'api:7' })).toEqual({
      status: 'success',
      output: { key: 'api:7', version: 2, payload: alert(7, { open: false }) },
    })
  })

  test('keeps every type as it is', async () => {
    await using agent = await desk()
    const full = alert(1, { tags: ['a', 'b'], owner: { name: 'Ann', phone: null }, rating: null })
    await agent.call('store_active_alerts', full)
    expect(await agent.call('query_store', { store: 'active-alerts', key: 'api:1' })).toMatchObject(
      { output: { payload: full } },
    )
  })

  test('of the same call happens once', async () => {
    await using agent = await desk()
    for (const _ of [1, 2, 3])
      expect(await agent.call('store_active_alerts', alert(1), { key: 'run:call' })).toEqual(
        stored('api:1', 1),
      )
    expect(await agent.call('store_active_alerts', alert(1), { key: 'run:other' })).toEqual(
      stored('api:1', 2),
    )
  })

  test('stays with its tenant', async () => {
    await using agent = await desk()
    await agent.call('store_active_alerts', alert(1), { tenant: 'acme' })
    expect(
      await agent.call('query_store', { store: 'active-alerts' }, { tenant: 'local' }),
    ).toMatchObject({ output: { total: 0 } })
    expect(
      await agent.call('query_store', { store: 'active-alerts' }, { tenant: 'acme' }),
    ).toMatchObject({ output: { total: 1 } })
  })

  test.each([
    [{ id: undefined }, 'id: is missing'],
    [{ id: null }, 'id: must not be null'],
    [{ id: '7' }, 'id: must be a number'],
    [{ id: 0 }, 'id: must be at least 1'],
    [{ id: 1_001 }, 'id: must be at most 1000'],
    [{ service: 7 }, 'service: must be a text'],
    [{ title: ['x'] }, 'title: must be a text'],
    [{ severity: 'P9' }, 'severity: must be one of P1, P2, P3'],
    [{ open: 'yes' }, 'open: must be true or false'],
    [{ at: 'yesterday' }, 'at: must be a date and time in ISO 8601, such as 2026-01-31T09:30:00Z'],
    [{ at: '2026-02-30' }, 'at: must be a date and time'],
    [{ at: '2026-01-01T10:00:00+16:00' }, 'at: must be a date and time'],
    [{ tags: 'a' }, 'tags: must be a list'],
    [{ tags: ['a', 7] }, 'tags[1]: must be a text'],
    [{ owner: [] }, 'owner: must be an object'],
    [{ owner: {} }, 'owner.name: is missing'],
    [
      { owner: { name: 'Ann', mail: 'x' } },
      'owner.mail: is no field here (there are: name, phone)',
    ],
    [
      { colour: 'red' },
      'colour: is no field here (there are: id, service, title, severity, open, at, tags, owner, rating)',
    ],
    [{ constructor: 'x' }, 'constructor: is no field here'],
    [{ service: '' }, 'the key {service}:{id} cannot be made: a field that it names is empty'],
    [
      { service: 'x'.repeat(600) },
      'the key {service}:{id} is 602 characters long, and 500 is the most',
    ],
  ])('of what does not fit says where and what: %j', async (more, message) => {
    await using agent = await desk()
    expect(
      await agent.call('store_active_alerts', JSON.parse(JSON.stringify({ ...alert(7), ...more }))),
    ).toContain(message)
    expect(await agent.call('query_store', { store: 'active-alerts' })).toMatchObject({
      output: { total: 0 },
    })
  })

  test('names everything that is wrong at once', async () => {
    await using agent = await desk()
    expect(await agent.call('store_active_alerts', { id: 'x', open: 1 })).toBe(
      'id: must be a number; service: is missing; title: is missing; severity: is missing; open: must be true or false; at: is missing',
    )
  })
})

describe('a batch', () => {
  const items = [alert(1), alert(2, { severity: 'P9' }), 'three', alert(3)]

  test('by default stores what fits and names the rest', async () => {
    await using agent = await desk()
    expect(await agent.call('store_active_alerts_batch', { items })).toEqual({
      status: 'success',
      output: {
        stored: 2,
        keys: ['api:1', 'api:3'],
        failed: [
          { index: 1, error: 'severity: must be one of P1, P2, P3' },
          { index: 2, error: 'must be an object' },
        ],
      },
    })
  })

  test('may leave out what does not fit without a word', async () => {
    await using agent = await desk([{ ...ALERTS, failure: { mode: 'skip' } }])
    expect(await agent.call('store_active_alerts_batch', { items })).toEqual({
      status: 'success',
      output: { stored: 2, keys: ['api:1', 'api:3'] },
    })
  })

  test('may be all or nothing', async () => {
    await using agent = await desk([{ ...ALERTS, failure: { mode: 'all-or-nothing' } }])
    expect(await agent.call('store_active_alerts_batch', { items })).toEqual({
      status: 'error',
      code: 'TOOL_ARGUMENTS',
      message:
        'Nothing was stored: items[1] severity: must be one of P1, P2, P3; items[2] must be an object',
    })
    expect(await agent.call('query_store', { store: 'active-alerts' })).toMatchObject({
      output: { total: 0 },
    })
    expect(
      await agent.call('store_active_alerts_batch', { items: [alert(1), alert(3)] }),
    ).toMatchObject({ output: { stored: 2 } })
  })

  test('of which nothing fits has failed', async () => {
    await using agent = await desk()
    expect(await agent.call('store_active_alerts_batch', { items: [{}] })).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^Nothing was stored: items\[0\] id: is missing/) as string,
    })
  })

  test('has a size', async () => {
    await using agent = await desk([ALERTS], { maxBatch: 2 })
    expect(
      await agent.call('store_active_alerts_batch', { items: [alert(1), alert(2), alert(3)] }),
    ).toBe('items: at most 2 documents at once, and there are 3')
    expect(await agent.call('store_active_alerts_batch', { items: [] })).toBe(
      'items: must be a list with at least one document',
    )
    expect(await agent.call('store_active_alerts_batch', alert(1))).toBe(
      'id: is no parameter; put the documents into items',
    )
  })
})

describe('a query', () => {
  const seed = [
    alert(1, { severity: 'P1', at: '2026-11-21T10:00:00Z', tags: ['db', 'eu'] }),
    alert(2, { open: false, at: '2026-11-21T12:30:00+02:00' }),
    alert(9, { severity: 'P3', at: '2026-11-20' }),
    alert(10, { title: 'Login BROKEN', tags: ['eu'], owner: { name: 'Ann', phone: null } }),
  ]
  const keys = async (args: object, config?: object): Promise<unknown> => {
    await using agent = await desk([{ ...ALERTS, seed }], config)
    const result = await agent.call('query_store', { store: 'active-alerts', ...args })
    if (typeof result === 'string') return result
    if (result.status !== 'success') return result.status === 'error' ? result.message : result
    return (
      result.output as {
        readonly documents: readonly { readonly payload: { readonly id: number } }[]
      }
    ).documents.map(({ payload }) => payload.id)
  }

  test.each([
    [{}, [1, 10, 2, 9]],
    [{ filter: { severity: 'P1' } }, [1]],
    [{ filter: { severity: ['P1', 'P3'] } }, [1, 9]],
    [{ filter: { severity: { in: ['P3'] } } }, [9]],
    [{ filter: { severity: { ne: 'P2' } } }, [1, 9]],
    [{ filter: { id: { gte: 2, lt: 10 } } }, [2, 9]],
    [{ filter: { open: false } }, [2]],
    [{ filter: { at: { gt: '2026-11-21T10:00:00Z' } } }, [2]],
    [{ filter: { at: { lte: '2026-11-20T00:00:00Z' } } }, [9]],
    [{ filter: { tags: { contains: 'eu' } } }, [1, 10]],
    [{ filter: { tags: null } }, [2, 9]],
    [{ filter: { title: { contains: 'broken' } } }, [10]],
    [{ filter: { owner: { eq: { phone: null, name: 'Ann' } } } }, [10]],
    [{ filter: { id: { gt: 5_000 } } }, []],
    [{ sort: 'id' }, [1, 2, 9, 10]],
    [{ sort: '-id', limit: 2 }, [10, 9]],
    [{ sort: '-id', limit: 2, offset: 3 }, [1]],
    [{ sort: 'at' }, [9, 1, 10, 2]],
  ])('%j finds %j', async (args, found) => expect(await keys(args)).toEqual(found))

  test('tells how many there are and whether more follow', async () => {
    await using agent = await desk([{ ...ALERTS, seed }])
    expect(await agent.call('query_store', { store: 'active-alerts', limit: 3 })).toMatchObject({
      output: { store: 'active-alerts', total: 4, has_more: true },
    })
    expect(
      await agent.call('query_store', { store: 'active-alerts', limit: 3, offset: 3 }),
    ).toMatchObject({ output: { total: 4, has_more: false } })
    expect(await agent.call('query_store', { store: 'active-alerts', key: 'api:77' })).toEqual({
      status: 'success',
      output: { found: false, store: 'active-alerts', key: 'api:77' },
    })
  })

  test.each([
    [{ filter: { colour: 'red' } }, '"colour" is no field of active-alerts (there are: id, '],
    [{ filter: { constructor: 'x' } }, '"constructor" is no field of active-alerts'],
    [{ sort: '-colour' }, '"colour" is no field of active-alerts'],
    [
      { filter: { id: { above: 5 } } },
      'filter.id: there is no operator "above" (there are: eq, ne, gt, ',
    ],
    [{ filter: { id: { gt: 'five' } } }, 'filter.id: must be a number'],
    [{ filter: { severity: 'P9' } }, 'filter.severity: must be one of P1, P2, P3'],
    [{ filter: { severity: ['P1', 'P9'] } }, 'filter.severity: must be one of P1, P2, P3'],
    [{ filter: { severity: { in: 'P1' } } }, 'filter.severity.in: must be a list'],
    [{ filter: { at: { lt: 'soon' } } }, 'filter.at: must be a date and time'],
    [
      { filter: { tags: { gt: ['a'] } } },
      'filter.tags: a whole array is neither more nor less than another',
    ],
    [{ filter: { id: { contains: '1' } } }, 'filter.id: contains works on texts and lists'],
    [{ filter: { title: { contains: 7 } } }, 'filter.title.contains: must be a text'],
    [{ filter: { tags: { contains: 7 } } }, 'filter.tags: must be a text'],
    [{ store: 'nothing' }, 'store: Invalid input: expected "active-alerts"'],
    [{ limit: 0 }, 'limit: Too small'],
    [{ limit: 101 }, 'limit: Too big'],
  ])('%j is told what is wrong', async (args, message) =>
    expect(await keys(args)).toContain(message),
  )
})

describe('seed documents', () => {
  const seed = [alert(1), alert(2)]

  test('are there from the first look, in every tenant, and once', async () => {
    await using agent = await desk([{ ...ALERTS, seed }])
    await Promise.all(
      Array.from({ length: 5 }, () => agent.call('query_store', { store: 'active-alerts' })),
    )
    for (const tenant of ['local', 'acme']) {
      expect(
        await agent.call('query_store', { store: 'active-alerts', key: 'api:1' }, { tenant }),
      ).toMatchObject({ output: { version: 1 } })
      expect(await agent.call('query_store', { store: 'active-alerts' }, { tenant })).toMatchObject(
        { output: { total: 2 } },
      )
    }
  })

  test('change nothing that is there', async () => {
    await using agent = await desk([{ ...ALERTS, seed }])
    expect(await agent.call('store_active_alerts', alert(1, { title: 'Mine' }))).toEqual(
      stored('api:1', 2),
    )
    expect(await agent.call('query_store', { store: 'active-alerts', key: 'api:1' })).toMatchObject(
      { output: { payload: { title: 'Mine' } } },
    )
  })
})

test('a document that has grown old is removed, and that is told', async () => {
  await using agent = await desk([
    {
      ...ALERTS,
      ttlRules: [{ when: [{ field: 'severity', op: 'in', value: ['P1'] }], ttl: 0.01 }],
    },
  ])
  await agent.call('store_active_alerts', alert(1, { severity: 'P1' }))
  await agent.call('store_active_alerts', alert(2))
  await expect
    .poll(() => agent.call('query_store', { store: 'active-alerts' }))
    .toMatchObject({ output: { total: 1, documents: [{ key: 'api:2' }] } })
  expect(agent.told.map(({ event }) => event)).toEqual([
    { type: 'store_updated', storeName: 'active-alerts', operation: 'put', count: 1 },
    { type: 'store_updated', storeName: 'active-alerts', operation: 'put', count: 1 },
    { type: 'store_updated', storeName: 'active-alerts', operation: 'delete', count: 1 },
  ])
})

describe('deleting and looking back', () => {
  test('removes the document and its versions, once', async () => {
    await using agent = await desk()
    for (const title of ['one', 'two']) await agent.call('store_active_alerts', alert(1, { title }))
    const gone = {
      status: 'success',
      output: { deleted: true, store: 'active-alerts', key: 'api:1' },
    }
    for (const _ of [1, 2])
      expect(
        await agent.call(
          'delete_from_store',
          { store: 'active-alerts', key: 'api:1' },
          { key: 'run:delete' },
        ),
      ).toEqual(gone)
    expect(
      await agent.call('delete_from_store', { store: 'active-alerts', key: 'api:1' }),
    ).toMatchObject({ output: { deleted: false, found: false } })
    expect(
      await agent.call('query_store', { store: 'active-alerts', key: 'api:1', history: true }),
    ).toMatchObject({ output: { found: false } })
    expect(agent.told.at(-1)).toEqual({
      event: { type: 'store_updated', storeName: 'active-alerts', operation: 'delete', count: 1 },
      audience: { tenant: 'local' },
    })
  })

  test('shows earlier versions, the newest first, and needs a key', async () => {
    await using agent = await desk()
    for (const title of ['one', 'two', 'three', 'four'])
      await agent.call('store_active_alerts', alert(1, { title }))
    expect(
      await agent.call('query_store', { store: 'active-alerts', key: 'api:1', history: true }),
    ).toMatchObject({
      output: {
        versions: [
          { version: 4, payload: { title: 'four' } },
          { version: 3, payload: { title: 'three' } },
          { version: 2, payload: { title: 'two' } },
        ],
      },
    })
    expect(
      await agent.call('query_store', { store: 'active-alerts', history: true }),
    ).toMatchObject({ status: 'error', message: 'history: needs the key of a document' })
  })
})

test('the reasons of a write are kept beside the document, and are no field of it', async () => {
  await using agent = await desk([{ ...ALERTS, trace: true }])
  expect(agent.schema('store_active_alerts')).toMatchObject({
    properties: { _reasoning: { type: 'string' } },
    required: expect.arrayContaining(['_reasoning']) as unknown,
  })
  await agent.call('store_active_alerts', alert(1, { _reasoning: 'The probe failed twice.' }))
  await agent.call('store_active_alerts_batch', {
    items: [alert(1, { title: 'Again' })],
    _reasoning: 'And once more.',
  })
  const pointer = { session: 's', run: 'r', call: 'c' }
  expect((await agent.request('/api/stores/active-alerts/api%3A1')).body).toMatchObject({
    document: {
      payload: alert(1, { title: 'Again' }),
      meta: { trace: { reasoning: 'And once more.', ...pointer } },
    },
    history: [
      { payload: alert(1), meta: { trace: { reasoning: 'The probe failed twice.', ...pointer } } },
    ],
  })
  expect(await agent.call('store_active_alerts', alert(1, { _reasoning: 7 }))).toBe(
    '_reasoning: must be a text of at most 4000 characters',
  )
})

test('of a shared store other tenants read the reasons, and no session', async () => {
  await using agent = await desk([{ ...ALERTS, trace: true, shared: true }], {
    sharedWrites: 'everybody',
  })
  await agent.call('store_active_alerts', alert(1, { _reasoning: 'Everybody should know.' }), {
    tenant: 'acme',
  })
  expect((await agent.request('/api/stores/active-alerts/api%3A1')).body).toMatchObject({
    document: { meta: { trace: { reasoning: 'Everybody should know.' } } },
  })
  expect(
    JSON.stringify((await agent.request('/api/stores/active-alerts/api%3A1')).body),
  ).not.toContain('"session"')
  expect(agent.told.map(({ audience }) => audience)).toEqual([{ tenant: SHARED_TENANT }])
})

describe('references', () => {
  const services = {
    name: 'services',
    entity: {
      name: 'Service',
      key: '{id}',
      schema: {
        id: { type: 'string' as const },
        needs: {
          type: 'array' as const,
          item: { type: 'ref' as const, store: 'services' },
          nullable: true,
        },
      },
    },
  }

  test('lead to documents that are there', async () => {
    await using agent = await desk([ALERTS, { ...services, seed: [{ id: 'api' }] }])
    expect(await agent.call('store_active_alerts', alert(1))).toEqual(stored('api:1', 1))
    expect(await agent.call('store_active_alerts', alert(1, { service: 'apj' }))).toEqual({
      status: 'error',
      code: 'TOOL_ARGUMENTS',
      message: 'service: there is no document "apj" in services',
    })
    expect(
      await agent.post('/api/stores/active-alerts', alert(1, { service: 'apj' })),
    ).toMatchObject({
      status: 400,
      body: { error: { message: 'service: there is no document "apj" in services' } },
    })
  })

  test('may lead to documents of the same batch, unless those are refused', async () => {
    await using agent = await desk([services])
    const items = [
      { id: 'a', needs: ['b'] },
      { id: 'b', needs: ['a', 'b'] },
      { id: 'c', needs: ['d'] },
      { id: 'd', needs: ['nowhere'] },
    ]
    expect(await agent.call('store_services_batch', { items })).toEqual({
      status: 'success',
      output: {
        stored: 2,
        keys: ['a', 'b'],
        failed: [
          { index: 2, error: 'needs[0]: there is no document "d" in services' },
          { index: 3, error: 'needs[0]: there is no document "nowhere" in services' },
        ],
      },
    })
  })
})

describe('a store that cannot be written to', () => {
  /** Refuses the first writes of each store, as a database does that is away. */
  const failing = (times: number, sqlstate?: string) => {
    const failed = new Map<string, number>()
    return use(
      definePlugin({
        name: 'failing',
        version: '1.0.0',
        decorates: [StoreBackend],
        setup({ decorate }) {
          decorate(StoreBackend, (inner) => ({
            get: (...args) => inner.get(...args),
            query: (...args) => inner.query(...args),
            remove: (...args) => inner.remove(...args),
            history: (...args) => inner.history(...args),
            count: (...args) => inner.count(...args),
            write(store, ...args) {
              const before = failed.get(store.name) ?? 0
              if (before >= times || store.name.endsWith('.dead'))
                return inner.write(store, ...args)
              failed.set(store.name, before + 1)
              return Promise.resolve(
                err(
                  failure(
                    'STORE_FAILED',
                    'the database is away',
                    sqlstate === undefined ? {} : { details: { sqlstate } },
                  ),
                ),
              )
            },
          }))
        },
      }),
    )
  }
  const keeps = (retries: number) =>
    ({
      ...ALERTS,
      failure: { mode: 'partial', retries, backoff: 'exponential', deadLetter: true },
    }) as const

  test('is asked again, as often as it says', async () => {
    await using agent = await desk([keeps(2)], {}, [failing(2)])
    expect(await agent.call('store_active_alerts', alert(1))).toEqual(stored('api:1', 1))
    expect(await agent.request('/api/dead-letters/active-alerts')).toMatchObject({
      status: 200,
      body: { deadLetters: [], total: 0 },
    })
  })

  test('leaves dead letters, which can be read and thrown away', async () => {
    await using agent = await desk([keeps(1)], {}, [failing(2)])
    expect(
      await agent.call(
        'store_active_alerts_batch',
        { items: [alert(1), alert(2, { severity: 'P9' })] },
        { key: 'run:lost' },
      ),
    ).toMatchObject({ status: 'error', code: 'STORE_FAILED' })
    const letters = await agent.request('/api/dead-letters/active-alerts')
    expect(letters).toMatchObject({
      status: 200,
      body: {
        total: 2,
        deadLetters: expect.arrayContaining([
          expect.objectContaining({ document: alert(1), error: 'the database is away' }),
          expect.objectContaining({
            document: alert(2, { severity: 'P9' }),
            error: 'severity: must be one of P1, P2, P3',
          }),
        ]) as unknown,
      },
    })
    const { deadLetters } = letters.body as {
      readonly deadLetters: readonly { readonly id: string }[]
    }
    for (const { id } of deadLetters)
      expect(
        await agent.request(`/api/dead-letters/active-alerts/${id}`, { method: 'DELETE' }),
      ).toMatchObject({ status: 200 })
    expect(await agent.request('/api/dead-letters/active-alerts')).toMatchObject({
      body: { total: 0 },
    })
    expect(await agent.request('/api/stores/active-alerts.dead')).toMatchObject({ status: 404 })
  })

  test('leaves dead letters, which are stored later as they are or corrected', async () => {
    await using agent = await desk([keeps(0)], {}, [failing(1)])
    await agent.call('store_active_alerts_batch', {
      items: [alert(1), alert(2, { severity: 'P9' })],
    })
    const path = '/api/dead-letters/active-alerts'
    const { body } = await agent.request(path)
    const { deadLetters } = body as {
      readonly deadLetters: readonly { readonly id: string; readonly error: string }[]
    }
    const fits = deadLetters.find(({ error }) => error === 'the database is away')?.id
    const misfits = deadLetters.find(({ error }) => error.startsWith('severity'))?.id
    expect(await agent.request('/api/stores')).toMatchObject({
      body: { stores: [{ documentCount: 0, deadLetterCount: 2 }] },
    })
    expect(await agent.post(`${path}/${fits}/retry`, {})).toEqual({
      status: 200,
      body: { stored: true, key: 'api:1', version: 1 },
    })
    expect((await agent.post(`${path}/${fits}/retry`, {})).status).toBe(404)
    expect(await agent.post(`${path}/${misfits}/retry`, {})).toMatchObject({
      status: 400,
      body: { error: { message: 'severity: must be one of P1, P2, P3' } },
    })
    expect(await agent.request(path)).toMatchObject({ body: { total: 1 } })
    expect(await agent.post(`${path}/${misfits}/retry`, { document: alert(2) })).toMatchObject({
      status: 200,
      body: { key: 'api:2' },
    })
    expect(await agent.request(path)).toMatchObject({ body: { total: 0 } })
    expect(await agent.request('/api/stores')).toMatchObject({
      body: { stores: [{ documentCount: 2, deadLetterCount: 0 }] },
    })
    expect((await agent.post('/api/dead-letters/nothing/x/retry', {})).status).toBe(404)
  })

  test('is not asked again for what it will never take, and keeps nothing unless told to', async () => {
    await using agent = await desk([{ ...ALERTS, failure: { mode: 'partial', retries: 3 } }], {}, [
      failing(1, '22003'),
    ])
    expect(await agent.call('store_active_alerts', alert(1))).toMatchObject({
      status: 'error',
      message: 'the database is away',
    })
    expect(await agent.request('/api/dead-letters/active-alerts')).toMatchObject({ status: 404 })
  })
})

test('fields inside others are filtered and sorted by as any other, and lists are not', async () => {
  const seed = ['Bo', 'Al', 'Cy'].map((name, index) =>
    alert(index + 1, { owner: { name, phone: null } }),
  )
  await using agent = await desk([{ ...ALERTS, seed }])
  const keys = async (args: object) => {
    const result = await agent.call('query_store', { store: 'active-alerts', ...args })
    return JSON.stringify(result).match(/api:\d/g) ?? result
  }
  expect(await keys({ sort: 'owner.name' })).toEqual(['api:2', 'api:1', 'api:3'])
  expect(await keys({ filter: { 'owner.name': { gte: 'Bo' } }, sort: '-owner.name' })).toEqual([
    'api:3',
    'api:1',
  ])
  expect(await keys({ filter: { 'owner.nome': 'Al' } })).toMatchObject({
    status: 'error',
    message: expect.stringContaining('"owner.nome" is no field') as string,
  })
  expect(await keys({ sort: 'tags' })).toMatchObject({
    status: 'error',
    message: 'sort: a whole array is neither more nor less than another',
  })
})
