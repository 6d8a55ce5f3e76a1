/** Sessions are searched and filtered in the studio, in a real browser. */

import { readLocalToken } from '@amodal/sdk/files'
import { reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Studio, type Size } from './studio-page.ts'

const found = await findBrowser()

describe.skipIf(found === undefined)('sessions in the studio', () => {
  let studio: Studio
  let page: Page
  let context: BrowserContext
  /** Ends the answer to `slowly`. */
  const finish = Promise.withResolvers<void>()

  const say = (message: string): Promise<Response> =>
    fetch(`${studio.url}/chat/sync`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${readLocalToken(studio.dir) ?? ''}`,
      },
      body: JSON.stringify({ message }),
    })
  const visit = async (size: Size, hash: string): Promise<void> => {
    ;({ page, context } = await studio.visit(size))
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
  }
  const titles = (): Promise<readonly string[]> =>
    page.locator('table.list td.main').allTextContents()
  const row = (title: string) => page.getByRole('row', { name: title })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  beforeAll(async () => {
    studio = await Studio.open({
      entries: [],
      script: async ({ messages }) => {
        const text = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
        if (text.includes('slowly')) await finish.promise
        return text.includes('break')
          ? reply.httpError(400, { message: 'the model takes no such message' })
          : reply.text('fine')
      },
    })
    for (const message of ['Refund for Anna', 'please break this', 'Which incidents?'])
      await say(message)
  })
  afterAll(() => studio?.close())
  afterEach(() => context.close())

  test('by title, by where they stand, by model and by time, all of it in the address', async () => {
    await visit('desktop', '#/sessions')
    await expect.poll(titles).toEqual(['Which incidents?', 'please break this', 'Refund for Anna'])
    await button('Failed').click()
    await expect.poll(titles).toEqual(['please break this'])
    expect(page.url()).toContain('#/sessions?status=failed')
    await page.getByRole('searchbox').fill('refund')
    await page.getByText('No session matches.').waitFor()
    await button('Done').click()
    await expect.poll(titles).toEqual(['Refund for Anna'])

    await button('More filters').click()
    await page.getByLabel('Model').selectOption('scripted')
    await page.getByLabel('Used from').fill('2026-01-01')
    await expect.poll(() => page.url()).toContain('from=2026-01-01')
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await expect.poll(titles).toEqual(['Refund for Anna'])
    expect(await page.getByRole('searchbox').inputValue()).toBe('refund')
    expect(await button('Done').getAttribute('aria-pressed')).toBe('true')
    await button('More filters')
      .or(page.getByRole('button', { name: /More filters/ }))
      .first()
      .click()
    await page.getByLabel('Used until').fill('2020-01-01')
    await page.getByText('No session matches.').waitFor()
    await page.getByRole('link', { name: 'Show all sessions' }).click()
    await expect.poll(titles).toHaveLength(3)
  })

  test('one that runs says so, and changes when it is done', async () => {
    await visit('phone', '#/sessions?status=running')
    await page.getByText('No session matches.').waitFor()
    const turn = say('answer slowly')
    await row('answer slowly').getByText('running').waitFor()
    finish.resolve()
    await turn
    await page.getByText('No session matches.').waitFor()
    await button('All').click()
    await row('answer slowly').getByText('done').waitFor()
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
    ).toBe(true)
  })
})
