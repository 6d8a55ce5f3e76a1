import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { reply } from '@amodal/sdk/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'
import { seededUsage } from './studio-usage-rows.ts'

const found = await findBrowser()
const RUNS = 120
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

describe.skipIf(found === undefined)('usage in the studio', () => {
  let studio: Studio
  let page: Page

  beforeAll(async () => {
    studio = await Studio.open({
      script: reply.text('Twelve.'),
      entries: [seededUsage(RUNS)],
    })
    page = (await studio.visit('desktop')).page
  })
  afterAll(() => studio.close())

  const open = (query: string): Promise<void> =>
    page.evaluate((hash) => {
      location.hash = hash
    }, `#/usage${query}`)
  const figure = (name: string) =>
    page.locator('.usage-summary > div', { hasText: name }).locator('dd').first()
  const rows = () => page.locator('.usage-table tbody tr')

  /** What axe finds wrong, by its rules. */
  async function violations(): Promise<readonly string[]> {
    await page.evaluate(await readFile(AXE, 'utf8'))
    return page.evaluate(async () => {
      interface Axe {
        run(on: string): Promise<{
          readonly violations: readonly {
            readonly id: string
            readonly nodes: readonly { readonly html: string }[]
          }[]
        }>
      }
      // colours that change with the theme are on their way for a moment
      await Promise.all(document.getAnimations().map(({ finished }) => finished))
      const { axe } = globalThis as unknown as { readonly axe: Axe } // the line above defines it
      return (await axe.run('#main')).violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html}`),
      )
    })
  }

  test('the place shows charts and sums of the last 30 days', async () => {
    await page.getByRole('link', { name: 'Usage' }).click()
    await expect.poll(() => page.locator('.chart canvas').count(), { timeout: 30_000 }).toBe(4)
    expect(await page.locator('.chart h3').allTextContents()).toEqual([
      'Cost per day, by model',
      'Tokens per day',
      'Latency',
      'Errors per day',
    ])
    expect(await figure('Runs').textContent()).toBe(String(RUNS))
    expect(await rows().locator('.main').allTextContents()).toEqual([
      'anthropic/claude-sonnet-4-5',
      'openai/gpt-5-mini',
      'google/gemini-2.5-flash',
    ])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(), colorScheme).toEqual([])
    }
  })

  test('time, group and filter are in the address', async () => {
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByLabel('Group by').selectOption('Agent')
    await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/usage?range=7d&group=agent')
    await rows().getByRole('link', { name: 'researcher' }).click()
    await expect
      .poll(() => page.evaluate(() => location.hash))
      .toBe('#/usage?range=7d&group=agent&agent=researcher')
    await expect.poll(() => rows().count(), { timeout: 30_000 }).toBe(1)
    await page.reload()
    await expect.poll(() => rows().count(), { timeout: 30_000 }).toBe(1)
    await page.getByRole('button', { name: 'Remove the filter: Agent researcher' }).click()
    await expect.poll(() => rows().count(), { timeout: 30_000 }).toBe(2)
    await page.goBack()
    await expect.poll(() => rows().count(), { timeout: 30_000 }).toBe(1)
  })

  test('the runs are saved as a file', async () => {
    await open('?range=30d&group=model&agent=researcher')
    await page.getByRole('button', { name: 'Export CSV' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('usage.csv')
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect(lines[0]).toMatch(/^ended_at,started_at,run_id,/)
    expect(lines).toHaveLength(1 + RUNS / 5)
  })

  test('a run that ends is counted while somebody looks', async () => {
    await open('?range=30d&group=model')
    // The figure of the view before it may still stand there.
    await expect.poll(() => figure('Runs').textContent(), { timeout: 30_000 }).toBe(String(RUNS))
    const { page: other, context } = await studio.visit('phone')
    await other.getByRole('textbox', { name: 'Message' }).fill('How many incidents are there?')
    await other.keyboard.press('Enter')
    await other.getByText('Twelve.').waitFor()
    await context.close()
    await expect
      .poll(() => figure('Runs').textContent(), { timeout: 30_000 })
      .toBe(String(RUNS + 1))
    await page.getByText('model calls have no known price').waitFor()
  })

  test('nothing, no permission and a failure are said', async () => {
    await open('?from=2020-01-01&to=2020-01-05&group=model')
    await page.getByText('No run has ended in this time.').waitFor()
    const answers = [
      [403, 'FORBIDDEN_SCOPE', 'This key may not see usage.'],
      [503, 'STORE_FAILED', 'STORE_FAILED'],
    ] as const
    for (const [status, code, text] of answers) {
      await page.route('**/api/usage?*', (route) =>
        route.fulfill({ status, json: { error: { code, message: 'it went wrong' } } }),
      )
      await open(`?from=2020-01-01&to=2020-01-0${status === 403 ? 6 : 7}&group=model`)
      await page.getByText(text).waitFor()
      await page.unroute('**/api/usage?*')
    }
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('No run has ended in this time.').waitFor()
  })

  test('on a phone the charts stand below each other and the table is a list', async () => {
    const { page: phone, context } = await studio.visit('phone')
    await phone.evaluate(() => {
      location.hash = '#/usage?range=30d&group=model'
    })
    await expect.poll(() => phone.locator('.chart canvas').count(), { timeout: 30_000 }).toBe(4)
    const [first, second] = await phone.locator('.chart').all()
    const [above, below] = [await first?.boundingBox(), await second?.boundingBox()]
    expect(below?.y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0))
    expect(await phone.locator('.usage-table thead').isVisible()).toBe(false)
    const overflow = await phone
      .locator('.view')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    expect(overflow).toBe(0)
    await context.close()
  })
})
