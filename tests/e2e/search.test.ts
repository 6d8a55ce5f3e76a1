/** `search_knowledge` through the door of a preset: what it finds, and what it must not show. */

import type { JsonObject } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDoor, textIn, write, type Door, type DoorOptions } from '../security/support/door.ts'
import { as, keysOf } from '../security/support/people.ts'
import { call, find, script } from './search-door.ts'

const INCIDENTS = {
  entity: {
    name: 'Incident',
    key: '{id}',
    schema: {
      id: { type: 'string' },
      title: { type: 'string' },
      notes: { type: 'array', item: { type: 'string' }, nullable: true },
      opened: { type: 'datetime', nullable: true },
    },
  },
}
const FILES = {
  'knowledge/refunds.md':
    '# Refunds\n\nGeneral text.\n\n## Annual plans\n\nMoney is given back within 30 days of the purchase.\n',
  'knowledge/café/menu.md': '# Menu\n\nCrème brûlée costs 7.\n',
  'stores/incidents.json': INCIDENTS,
  'stores/incidents.seed.json': [
    { id: 'INC-1', title: 'Checkout is slow', notes: ['Stripe answers after 9 seconds'] },
    { id: 'INC-2', title: 'Login fails', notes: null },
  ],
}

const open = (more: Partial<DoorOptions> = {}): Promise<Door> =>
  openDoor({ files: FILES, script, ...more })

describe('what is found', () => {
  test('passages of documents and of stores, with what is needed to read more', async () => {
    await using door = await open()
    expect(await find(door, 'refund of annual plans')).toMatchObject([
      {
        source: 'knowledge',
        document: 'refunds',
        title: 'Refunds',
        heading: 'Annual plans',
        passage: 'Money is given back within 30 days of the purchase.',
      },
      { source: 'knowledge', document: 'refunds' },
    ])
    expect(await find(door, 'stripe')).toMatchObject([
      {
        source: 'store:incidents',
        key: 'INC-1',
        passage: 'id: INC-1\ntitle: Checkout is slow\nnotes: Stripe answers after 9 seconds',
      },
    ])
    // a prefix, a misspelled word, accents left out, a key
    for (const [query, name] of [
      ['purch', 'refunds'],
      ['pirchase', 'refunds'],
      ['creme brulee', 'café/menu'],
      ['inc 2', 'INC-2'],
    ] as const) {
      const [first] = await find(door, query)
      expect(first?.document ?? first?.key, query).toBe(name)
    }
  })

  test('what the agent has just stored, changed or deleted', async () => {
    await using door = await open()
    const store = (title: string): Promise<string> =>
      call(door, 'store_incidents', { id: 'INC-3', title, notes: null, opened: null })
    expect(await find(door, 'warehouse')).toEqual([])
    await store('Warehouse floods')
    expect(await find(door, 'warehouse')).toMatchObject([{ key: 'INC-3' }])
    await store('Harbour is closed')
    expect(await find(door, 'warehouse')).toEqual([])
    expect(await find(door, 'harbour')).toMatchObject([{ key: 'INC-3' }])
    await call(door, 'delete_from_store', { store: 'incidents', key: 'INC-3' })
    expect(await find(door, 'harbour')).toEqual([])
  })

  test('what was edited while the server runs, and after a restart', async () => {
    await using door = await open()
    expect(await find(door, 'penguins')).toEqual([])
    await write(door.dir, { 'knowledge/zoo.md': '# Zoo\n\nPenguins are fed at noon.\n' })
    await expect.poll(() => find(door, 'penguins')).toMatchObject([{ document: 'zoo' }])
    await call(door, 'store_incidents', {
      id: 'INC-9',
      title: 'Penguins',
      notes: null,
      opened: null,
    })
    await door.restart()
    expect((await find(door, 'penguins')).map(({ source }) => source).sort()).toEqual([
      'knowledge',
      'store:incidents',
    ])
    await rm(join(door.dir, 'knowledge/zoo.md'))
    await expect.poll(() => find(door, 'penguins')).toMatchObject([{ key: 'INC-9' }])
  })

  test('a query without words is an error that says what to do; another one finds nothing', async () => {
    await using door = await open()
    for (const empty of ['', '?! …'])
      expect(await call(door, 'search_knowledge', { query: empty })).toContain(
        'has no word to look for',
      )
    for (const bad of [{}, { query: 'x', limit: 0 }, { query: 'x'.repeat(501) }])
      expect(await call(door, 'search_knowledge', bad)).toMatch(/query|limit/)
    expect(await call(door, 'search_knowledge', { query: 'zzzzzzzz' })).toContain(
      'Nothing has these words',
    )
    for (const odd of [
      'constructor __proto__ hasOwnProperty',
      '\u0000',
      '" OR 1=1 --',
      '𝒳'.repeat(99),
    ])
      expect(await call(door, 'search_knowledge', { query: odd })).toMatch(/results|no word/)
  })
})

describe('where the tool is', () => {
  const has = async (door: Door): Promise<boolean> =>
    !(await call(door, 'search_knowledge', { query: 'refund' })).startsWith('there is no tool')

  test('where there is something to search that is not in the prompt, or as the setting says', async () => {
    const knowledge = { 'knowledge/a.md': '# A\n\nRefund text.\n' }
    const cases: readonly [DoorOptions['files'], JsonObject, boolean][] = [
      [{}, {}, false],
      [knowledge, {}, false],
      [knowledge, { plugins: [['knowledge', { eagerTokens: 0 }]] }, true],
      [knowledge, { plugins: [['search', { knowledge: 'always' }]] }, true],
      [FILES, {}, true],
      [FILES, { plugins: [['search', { stores: false }]] }, false],
      [FILES, { plugins: [{ without: 'search' }] }, false],
    ]
    for (const [files, manifest, expected] of cases) {
      await using door = await openDoor({ files: files ?? {}, manifest, script })
      expect(await has(door), JSON.stringify(manifest)).toBe(expected)
    }
  })

  test('stores that the setting does not name are not searched', async () => {
    await using door = await open({
      files: { ...FILES, 'stores/other.json': INCIDENTS },
      manifest: { plugins: [['search', { stores: ['other'], knowledge: 'never' }]] },
    })
    expect(await find(door, 'checkout refund')).toEqual([])
  })
})

test('a store beyond the bound is searched in part, and the answer says so', async () => {
  await using door = await open({
    files: {
      ...FILES,
      'stores/incidents.seed.json': [1, 2, 3, 4, 5].map((n) => ({
        id: `INC-${n}`,
        title: `Outage number ${n}`,
        notes: null,
      })),
    },
    manifest: { plugins: [['search', { maxDocuments: 2 }]] },
  })
  expect((await find(door, 'outage')).map(({ key }) => key).sort()).toEqual(['INC-1', 'INC-2'])
  await call(door, 'delete_from_store', { store: 'incidents', key: 'INC-1' })
  expect((await find(door, 'outage')).map(({ key }) => key)).toEqual(['INC-2'])
  expect(await call(door, 'search_knowledge', { query: 'outage' })).toMatch(
    /\d documents of store:incidents are not indexed: use query_store/,
  )
})

describe('what a caller may not read', () => {
  const PEOPLE = {
    anna: { tenant: 'acme', roles: ['reader'] },
    bert: { tenant: 'beta', roles: ['reader'] },
    carl: { tenant: 'acme', roles: ['blind'] },
  }
  const guarded = (manifest: JsonObject = {}): Promise<Door> =>
    open({
      manifest,
      env: keysOf(PEOPLE),
      files: {
        ...FILES,
        'stores/rates.json': { ...INCIDENTS, shared: true },
        'stores/rates.seed.json': [{ id: 'R-1', title: 'Euro rate', notes: null }],
        'roles/reader.json': {
          tools: ['search_knowledge', 'query_store', 'store_incidents', 'load_knowledge'],
        },
        'roles/blind.json': { tools: ['search_knowledge'] },
      },
    })

  test('documents of another tenant, while shared ones are for all', async () => {
    await using door = await guarded()
    const document = { id: 'INC-7', title: 'Zeppelin of acme', notes: null, opened: null }
    await call(door, 'store_incidents', document, as('anna'))
    expect(await find(door, 'zeppelin', as('anna'))).toMatchObject([{ key: 'INC-7' }])
    expect(await find(door, 'zeppelin', as('bert'))).toEqual([])
    for (const who of ['anna', 'bert'])
      expect(await find(door, 'euro', as(who))).toMatchObject([{ source: 'store:rates' }])
  })

  test('stores without query_store, and listed documents without load_knowledge', async () => {
    await using door = await guarded()
    expect(await find(door, 'checkout', as('carl'))).toEqual([])
    // all of it is in the prompt of everybody
    expect(await find(door, 'refunds', as('carl'))).not.toEqual([])
    await using listed = await guarded({ plugins: [['knowledge', { eagerTokens: 0 }]] })
    expect(await find(listed, 'refunds', as('carl'))).toEqual([])
    expect(await find(listed, 'refunds', as('anna'))).not.toEqual([])
  })

  test('documents that another tenant has approved for itself', async () => {
    await using door = await openDoor({
      files: FILES,
      script,
      env: keysOf({ anna: { tenant: 'acme' }, bert: { tenant: 'beta' } }),
      manifest: { plugins: [['knowledge', { proposals: 'tenant' }]] },
    })
    const proposal = {
      name: 'secret',
      title: 'Secret',
      body: 'The dirigible is red.',
      reasoning: 'It was decided.',
    }
    const { body } = await door.say(
      JSON.stringify({ name: 'propose_knowledge', arguments: proposal }),
      {},
      as('anna'),
    )
    const [pending] = body['pending_input'] as unknown as readonly JsonObject[] // of a 202
    await door.answer(
      { session_id: textIn(body, 'session_id'), id: textIn(pending, 'id'), approved: true },
      as('anna'),
    )
    await expect
      .poll(() => find(door, 'dirigible', as('anna')))
      .toMatchObject([{ source: 'knowledge', document: 'secret', approved: true }])
    expect(await find(door, 'dirigible', as('bert'))).toEqual([])
  })
})
