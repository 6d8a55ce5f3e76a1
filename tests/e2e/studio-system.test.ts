/** The place System of the studio, in a real browser. */

import { JobQueue, Log } from '@amodal/sdk'
import { readLocalToken } from '@amodal/sdk/files'
import { reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()

describe.skipIf(found === undefined)('the place System of the studio', () => {
  let studio: Studio
  let page: Page
  let context: BrowserContext
  const complaints: string[] = []

  const post = async (path: string, body: object): Promise<Response> =>
    fetch(`${studio.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${readLocalToken(studio.dir) ?? ''}`,
      },
      body: JSON.stringify(body),
    })
  const chat = async (message: string): Promise<void> => {
    const response = await post('/chat', { message })
    expect(response.status, await response.text()).toBe(200)
  }
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'System' }).getByRole('link', { name, exact: true })

  beforeAll(async () => {
    studio = await Studio.open({ entries: [], script: () => reply.text('Done.') })
  }, 90_000)
  afterAll(() => studio?.close())
  beforeEach(async () => {
    ;({ page, context } = await studio.visit('desktop'))
    page.on('pageerror', ({ message }) => complaints.push(message))
  })
  afterEach(async () => {
    await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  test('activity has what happened before the page was opened, and each event once', async () => {
    await chat('Before the page')
    await page.reload()
    await page.getByRole('link', { name: 'System', exact: true }).click()
    await tab('Activity').click()
    const rows = page.locator('.events li')
    await rows.filter({ hasText: 'session created' }).first().waitFor()
    const earlier = await rows.count()
    expect(await page.getByText('Since this page was opened').count()).toBe(0)

    await chat('While the page is open')
    const fresh = page.locator('.events[aria-live] li')
    await fresh.filter({ hasText: 'session created' }).waitFor()
    await expect.poll(() => fresh.filter({ hasText: 'session updated' }).count()).not.toBe(0)
    const times = (): Promise<readonly string[]> =>
      rows
        .locator('time')
        .evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
    const before = await times()
    expect(before).toEqual(before.toSorted().toReversed())

    // the server lets go of the connection, as it does after a quarter of an hour
    await context.setOffline(true)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await context.setOffline(false)
    await chat('After the connection was lost')
    await fresh.filter({ hasText: 'After the connection' }).first().waitFor()
    expect((await times()).slice(-before.length)).toEqual(before)
    expect(await page.locator('.events').nth(1).locator('li').count()).toBe(earlier)
  })

  test('the audit log is listed, filtered by its address and verified', async () => {
    await page.getByRole('link', { name: 'System', exact: true }).click()
    await tab('Audit').click()
    await page.getByRole('link', { name: 'run end' }).first().waitFor()
    await page.getByLabel('Event').selectOption('session_start')
    await page.waitForURL(/#\/audit\?event=session_start$/)
    await expect.poll(() => page.getByRole('link', { name: 'run end' }).count()).toBe(0)
    await page.getByRole('link', { name: 'session start' }).first().waitFor()
    await page.getByLabel('Principal').fill('nobody')
    await page.keyboard.press('Enter')
    await page.getByText('No line matches these filters.').waitFor()
    await page.getByRole('link', { name: 'Clear the filters' }).click()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText(/^Nothing was changed: \d+ lines, \d+ checkpoints\.$/).waitFor()
    await page.getByRole('link', { name: 'run end' }).first().click()
    await page.waitForURL(/#\/sessions\/sess_/)
  })

  test('jobs that failed for good are listed with their reason and what to do', async () => {
    const queue = studio.running?.kernel.scope.get(JobQueue)
    const worker = queue?.work({
      queue: 'reports',
      concurrency: 1,
      handler: () => Promise.resolve({ kind: 'dead', reason: 'the disk of reports is full' }),
    })
    const job = { queue: 'reports', data: { secret_of: 'acme' } }
    await queue?.publish([job], AbortSignal.timeout(10_000))
    await page.getByRole('link', { name: 'System', exact: true }).click()
    await tab('Queue').click()
    await page.getByText('the disk of reports is full').waitFor()
    await page.getByText('amodal ops queue redrive reports --all').waitFor()
    await page.getByRole('row', { name: /^reports 0 0 0 1/ }).waitFor()
    await page.getByText('1 process is alive').waitFor()
    expect(await page.locator('main').textContent()).not.toContain('secret_of')
    if (worker?.ok) await worker.value.stop(1_000)
  })

  test('the log is followed and filtered by level and text', async () => {
    const log = studio.running?.kernel.scope.get(Log)
    log?.info('reports.begun', { month: '2026-05' })
    await page.getByRole('link', { name: 'System', exact: true }).click()
    await tab('Logs').click()
    await page.getByText('reports.begun').waitFor()
    log?.warn('reports.slow', { ms: 4_417, api_key: 'sk-very-secret' })
    await page.getByText('reports.slow').waitFor()
    expect(await page.locator('.log-lines').textContent()).not.toContain('sk-very-secret')
    await page.getByLabel('Level').selectOption('warn')
    await expect.poll(() => page.getByText('reports.begun').count()).toBe(0)
    await page.getByText('reports.slow').waitFor()
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByText('No line matches.').waitFor()
    expect(page.url()).toContain('#/logs?level=warn&q=nothing+like+it')
  })
})
