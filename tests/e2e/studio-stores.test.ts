/** Stores in the studio, in a real browser. */

import { readFile } from 'node:fs/promises'
import { Database, unwrap, type JsonObject } from '@amodal/sdk'
import { readLocalToken } from '@amodal/sdk/files'
import { reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isWhole } from '../support/random.ts'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()

const ORDERS = {
  name: 'orders',
  description: 'Orders of the shop',
  history: { versions: 5 },
  failure: { mode: 'partial', deadLetter: true },
  entity: {
    name: 'Order',
    key: '{id}',
    schema: {
      id: { type: 'string' },
      title: { type: 'string' },
      total: { type: 'number', min: 0 },
      status: { type: 'enum', values: ['new', 'paid', 'sent'] },
      express: { type: 'boolean' },
      placed_at: { type: 'datetime' },
      customer: { type: 'object', nullable: true, fields: { name: { type: 'string' } } },
      receipt: { type: 'number', nullable: true },
    },
  },
}
const STATUSES = ['new', 'paid', 'sent']
/** A number that no double holds. */
const RECEIPT = '2512292042121000001'

const order = (n: number, more: JsonObject = {}): JsonObject => ({
  id: `O-${String(n).padStart(4, '0')}`,
  title: `Order ${n}`,
  total: n * 10,
  status: STATUSES[n % 3] ?? 'new',
  express: n % 2 === 0,
  placed_at: '2026-11-01T08:00:00Z',
  customer: { name: n % 2 === 0 ? 'Globex' : 'Initech' },
  receipt: null,
  ...more,
})

describe.skipIf(found === undefined)('stores in the studio', () => {
  let studio: Studio
  let page: Page
  let context: BrowserContext
  const complaints: string[] = []

  const put = async (body: JsonObject | string, store = 'orders'): Promise<void> => {
    const response = await fetch(`${studio.url}/api/stores/${store}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${readLocalToken(studio.dir) ?? ''}`,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    expect([response.status, await response.text()]).toMatchObject([201, expect.anything()])
  }
  const open = async (hash: string): Promise<void> => {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
  }
  /** Texts of a column, from the top. */
  const column = (at: number): Promise<readonly string[]> =>
    page.locator(`.grid-rows [role=row] > span:nth-child(${at})`).allTextContents()
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  beforeAll(async () => {
    studio = await Studio.open({
      entries: [],
      files: { 'stores/orders.json': ORDERS },
      script: ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? reply.text('stored')
          : reply.toolCalls({
              name: 'store_orders_batch',
              arguments: { items: [order(901, { status: 'lost' }), order(902, { total: -1 })] },
            }),
    })
    for (let n = 1; n <= 130; n += 1) await put(order(n))
  })
  afterAll(() => studio?.close())
  beforeEach(async () => {
    ;({ page, context } = await studio.visit('desktop'))
    page.on('pageerror', ({ message }) => complaints.push(message))
  })
  afterEach(async () => {
    await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  test('the index leads to a table whose filter, order and columns are in its address', async () => {
    await page.getByRole('link', { name: 'Stores', exact: true }).click()
    await page.getByRole('row', { name: /Orders.*Order.*130/ }).waitFor()
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByRole('link', { name: 'O-0001' }).waitFor()
    expect(await page.locator('.store-head').textContent()).toContain('130 documents')

    await page.getByRole('link', { name: 'Sort by Total' }).click()
    await page.getByRole('link', { name: 'Sort by Total' }).click()
    await expect.poll(() => column(1)).toContain('O-0130')
    expect((await column(3)).slice(0, 3)).toEqual(['1,300', '1,290', '1,280'])
    expect(page.url()).toContain('sort=-total')

    await page.getByRole('columnheader', { name: 'Status' }).hover()
    await button('Filter by Status').click()
    await page.getByRole('checkbox', { name: 'paid' }).check()
    await button('Apply').click()
    await expect.poll(() => column(4)).not.toContain('new')
    await page.getByText('44 documents').waitFor()
    await button('Filter').click()
    await page.getByLabel('Field').selectOption('total')
    await page.getByLabel('Value').fill('many')
    await button('Apply').click()
    await page.getByText('must be a number').waitFor()
    await page.getByLabel('Value').fill('1000')
    await button('Apply').click()
    await page.getByText('11 documents').waitFor()

    await button('Columns').click()
    await page.getByRole('checkbox', { name: 'Express' }).uncheck()
    await page.getByRole('checkbox', { name: 'Customer name' }).check()
    await page.getByRole('columnheader', { name: 'Customer name' }).waitFor()
    await page.keyboard.press('Escape')

    // the address alone shows the same
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await page.getByText('11 documents').waitFor()
    expect(await page.locator('.chip').allTextContents()).toEqual([
      'Status is one of paid',
      'Total is at least 1000',
    ])
    expect((await column(1)).slice(0, 2)).toEqual(['O-0130', 'O-0127'])
    expect(await page.getByRole('columnheader', { name: 'Express' }).count()).toBe(0)

    await button('Export').click()
    const downloaded = page.waitForEvent('download')
    await button('CSV, the columns shown').click()
    const lines = (await readFile(await (await downloaded).path(), 'utf8')).trim().split('\r\n')
    expect(lines[0]).toBe('key,id,title,total,status,placed_at,customer.name')
    expect(lines[1]).toBe('O-0130,O-0130,Order 130,1300,paid,2026-11-01T08:00:00Z,Globex')
    expect(lines).toHaveLength(12)

    await button('Remove the filter: Total is at least 1000').click()
    await page.getByText('44 documents').waitFor()
  })

  test('a filter that the API refuses is named, and one that finds nothing can be cleared', async () => {
    await open('#/stores/orders?filter=%7B%22colour%22%3A1%7D')
    await page.getByRole('alert').getByText('"colour" is no field of orders').waitFor()
    await open('#/stores/orders?filter=%7B%22title%22%3A%22nothing%22%7D')
    await page.getByText('No document matches the filter.').waitFor()
    await button('Clear the filter').click()
    await page.getByRole('link', { name: 'O-0001' }).waitFor()
    await open('#/stores/nothing')
    await page.getByText('There is no store "nothing" for you.').waitFor()
  })

  test('rows change as documents do, and the keyboard walks through them', async () => {
    await open('#/stores/orders')
    await page.getByRole('link', { name: 'O-0001' }).focus()
    await put(order(2, { title: 'Renamed meanwhile' }))
    await page.getByText('Renamed meanwhile').waitFor()
    for (let n = 0; n < 60; n += 1) await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('O-0061')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Order 61' }).waitFor()
    expect(page.url()).toContain('#/stores/orders/O-0061')
  })

  test('a document is created, edited, compared, restored and deleted', async () => {
    await open('#/stores/orders?show=new')
    await page.getByLabel('Id').fill('O-0500')
    await page.getByLabel('Title').fill('Five hundred')
    await page.getByLabel('Total').fill('-3')
    await page.getByLabel('Status').selectOption('new')
    await page.getByLabel('Express').selectOption('true')
    await page.getByLabel('Placed at').fill('2026-11-02T10:00:00')
    await page.getByLabel('Receipt').fill(RECEIPT)
    await button('Save').click()
    // the API's own check, at the field
    const total = page.locator('.field', { has: page.getByLabel('Total') })
    await total.getByRole('alert').getByText('must be at least 0').waitFor()
    await page.getByLabel('Total').fill('5000')
    await button('Save').click()
    await page.getByRole('heading', { name: 'Five hundred' }).waitFor()
    await page.getByText(RECEIPT).waitFor()

    await page.getByRole('link', { name: 'Edit' }).click()
    expect(await page.getByLabel('Id').isDisabled()).toBe(true)
    await page.getByLabel('Title').fill('Five hundred and one')
    await button('Save').click()
    await page.getByRole('heading', { name: 'Five hundred and one' }).waitFor()
    await page.getByText('Version 2', { exact: true }).first().waitFor()
    await page.getByText(RECEIPT).waitFor() // every digit of it
    const cells = page.locator('table.versions tbody tr')
    expect(await cells.allTextContents()).toEqual(['TitleFive hundredFive hundred and one'])
    await button('Restore version 1').click()
    await page.getByText('Version 3', { exact: true }).first().waitFor()
    await page.getByRole('heading', { name: 'Five hundred', exact: true }).waitFor()

    await page.getByRole('link', { name: 'Edit' }).click()
    await button('JSON').click()
    await page.getByRole('textbox', { name: 'JSON' }).fill('[]')
    await button('Save').click()
    await page.getByText('A document is a JSON object.').waitFor()
    await button('Discard').click()

    await button('Delete').click()
    await page.getByRole('group', { name: /Delete this document/ }).waitFor()
    await button('Delete').click()
    await page.getByRole('link', { name: 'O-0001' }).waitFor()
    await open('#/stores/orders/O-0500')
    await page.getByText('there is no such document').waitFor()
  })

  test('an edit goes over no other one without a question', async () => {
    await put(order(600))
    await open('#/stores/orders/O-0600?edit=1')
    await page.getByLabel('Title').fill('Mine')
    await put(order(600, { total: 1 }))
    await page.getByText('Somebody has changed this document meanwhile').waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Mine')
    await button('Save').click()
    await button('Save over it').click()
    await page.getByRole('heading', { name: 'Mine' }).waitFor()
    await page.getByText('Version 3', { exact: true }).first().waitFor()

    await open('#/stores/orders?show=new')
    await button('JSON').click()
    await page.getByRole('textbox', { name: 'JSON' }).fill(JSON.stringify(order(600)))
    await button('Save').click()
    await page.getByText('There is a document with this key already.').waitFor()
  })

  test('dead letters are corrected, retried and removed', async () => {
    await open('#/chat')
    await page.getByRole('textbox', { name: 'Message' }).fill('store them')
    await page.keyboard.press('Enter')
    await page.getByText('stored', { exact: true }).waitFor()
    await open('#/stores')
    await page.getByRole('row', { name: /Orders.*2$/ }).waitFor()
    await open('#/inbox')
    await page.getByRole('link', { name: /Orders.*2 dead letters/ }).click()
    const letter = (text: string) => page.locator('.letter', { hasText: text })
    const lost = letter('status: must be one of new, paid, sent')
    await lost.getByRole('button', { name: 'Retry', exact: true }).click()
    await lost.getByRole('alert').getByText('status: must be one of').waitFor()
    await lost.getByRole('button', { name: 'Edit and retry' }).click()
    await lost.getByRole('textbox').fill(JSON.stringify(order(901)))
    await lost.getByRole('button', { name: 'Retry', exact: true }).click()
    await lost.waitFor({ state: 'detached' })
    const negative = letter('total: must be at least 0')
    await negative.getByRole('button', { name: 'Remove' }).click()
    await negative.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No dead letter.').waitFor()
    await open('#/stores/orders/O-0901')
    await page.getByRole('heading', { name: 'Order 901' }).waitFor()
  })

  test('on a phone the table is a list of rows', async () => {
    await context.close()
    ;({ page, context } = await studio.visit('phone'))
    await open('#/stores/orders?sort=-total')
    const first = page.locator('.grid-rows [role=row]').first()
    await first.getByText('Order').waitFor()
    expect(await page.getByRole('columnheader').count()).toBe(0)
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
    ).toBe(true)
    await first.getByRole('link').click()
    await page.getByRole('heading', { name: /Order/ }).waitFor()
  })

  const DOCUMENTS = 100_000
  test.runIf(isWhole())(
    'a hundred thousand documents are scrolled through',
    async () => {
      const database = studio.running?.kernel.scope.get(Database)
      if (!database) throw new Error('the server does not run')
      await fill(database, DOCUMENTS)
      await open('#/stores/orders?sort=-total')
      await page.locator('.grid-rows [role=row] a').first().waitFor()
      const measured = await page.evaluate(scrollThrough, 10_000)
      const session = await context.newCDPSession(page)
      const heap = (await session.send('Runtime.getHeapUsage')).usedSize / 1_048_576
      process.stderr.write(
        `stores: ${measured.rows} rows in 10 s, ${measured.frames} frames, p95 ${measured.p95.toFixed(1)} ms, ` +
          `longest ${measured.longest.toFixed(1)} ms, heap ${heap.toFixed(1)} MB\n`,
      )
      await page.locator('.grid-rows [role=row]:not(.loading)').first().waitFor()
      expect(measured.rows).toBeGreaterThan(DOCUMENTS / 10)
      expect(measured.p95).toBeLessThan(50)
      expect(heap).toBeLessThan(250)
    },
    240_000,
  )
})

/** Documents as writes leave them. */
async function fill(database: Database, n: number): Promise<void> {
  const sql = `
with n as (
  select 'X-' || lpad(n::text, 6, '0') as key, ((n * 7919) % ${n})::float8 as total, (array['new', 'paid', 'sent'])[1 + n % 3] as status,
    timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute' as placed
  from generate_series(0::bigint, ${n - 1}) n),
d as (
  insert into stores_database_document(tenant, store, key, version, payload, computed_at)
  select 'local', 'orders', key, 1, jsonb_build_object('id', key, 'title', 'Order ' || key || ' of a customer', 'total', total, 'status', status,
    'express', total > 50000, 'placed_at', to_char(placed, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'customer', jsonb_build_object('name', 'Globex')), now() from n on conflict do nothing)
insert into stores_database_value(tenant, store, key, field, text, number, moment)
select 'local', 'orders', key, v.* from n cross join lateral (values ('total', null, total, null), ('status', status, null, null), ('placed_at', null, null, placed)) v on conflict do nothing`
  const signal = AbortSignal.timeout(200_000)
  unwrap(await database.run({ sql, parameters: [] }, signal), ({ message }) => message)
}

/** Scrolls down and up through all rows, and measures each frame; runs in the page. */
async function scrollThrough(ms: number) {
  const scroller = document.querySelector('.grid-scroll')
  if (!scroller) throw new Error('there is no table')
  const frames: number[] = []
  const begin = performance.now()
  let last = begin
  let rows = 0
  let direction = 1
  while (last - begin < ms) {
    const before = scroller.scrollTop
    scroller.scrollTop += direction * 3_000
    rows += Math.abs(scroller.scrollTop - before) / 36
    if (scroller.scrollTop === before) direction = -direction
    // a person stops now and then to read
    if (frames.length % 60 === 59) await new Promise((go) => setTimeout(go, 250))
    const from = performance.now()
    await new Promise((go) => requestAnimationFrame(go))
    last = performance.now()
    frames.push(last - from)
  }
  const sorted = frames.toSorted((a, b) => a - b)
  return {
    rows: Math.round(rows),
    frames: frames.length,
    p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    longest: sorted.at(-1) ?? 0,
  }
}
