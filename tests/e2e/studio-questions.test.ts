import { definePlugin, defineTool, Tools, use } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'
import { seededUsage } from './studio-usage-rows.ts'

const found = await findBrowser()
const MOST_CLICKS = 3
/** The rule that had the person asked. */
const WHY = /asks before it runs/

/** JSON is YAML as well. The second run of it is better than the first. */
const SUITE = {
  name: 'greetings',
  cases: [{ name: 'polite', input: 'Greet Anna', assert: [{ contains: 'Good day' }] }],
}

/**
 * The questions with which people open the studio, each from a page that was just loaded, in as
 * many clicks as they have patience for.
 */
describe.skipIf(found === undefined)('an answer is three clicks away', () => {
  let studio: Studio
  let context: BrowserContext
  let page: Page
  let clicks = 0
  let greetings = 0

  function script({ messages }: ChatCompletionRequest): Reply {
    const question = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
    if (messages.at(-1)?.role === 'tool') return reply.text('There are some.')
    if (question.includes('Greet')) return reply.text(++greetings === 1 ? 'Hi.' : 'Good day, Anna.')
    if (question.includes('mail'))
      return reply.toolCalls({ name: 'send_mail', arguments: { to: 'anna@customers.example' } })
    return reply.toolCalls({ name: 'query_store', arguments: { store: 'incidents' } })
  }

  const mailing = definePlugin({
    name: 'mailing',
    version: '1.0.0',
    setup({ add }) {
      const mail = defineTool({
        name: 'send_mail',
        description: 'Sends a mail.',
        readOnly: false,
        tier: 'confirm',
        input: z.looseObject({ to: z.string() }),
        execute: () => Promise.resolve({ status: 'success', output: {} }),
      })
      add(Tools, 'mailing', { tools: () => [mail] })
    },
  })

  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
  }
  const click = async (what: Locator): Promise<void> => {
    await what.first().click()
    clicks += 1
  }
  const place = (name: string): Locator =>
    page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}`) })

  beforeAll(async () => {
    studio = await Studio.open({
      script,
      entries: [use(mailing), seededUsage(60)],
      files: {
        'evals/greetings.yaml': SUITE,
        'roles/clerk.json': { tools: ['query_store'] },
      },
    })
    ;({ page, context } = await studio.visit('desktop'))
    await say('Which incidents are there?')
    await page.getByText('There are some.').waitFor()
    await page
      .getByRole('link', { name: 'New chat' })
      .or(page.getByRole('button', { name: 'New chat' }))
      .first()
      .click()
    await say('Please mail Anna')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await place('Evals').click()
    for (const runs of [1, 2]) {
      await page.getByRole('button', { name: 'Run all' }).click()
      const last = page.getByRole('cell', { name: 'done' }).nth(runs - 1)
      const isShown = (): Promise<boolean> =>
        last.waitFor({ timeout: 1_000 }).then(
          () => true,
          () => false,
        )
      while (!(await isShown())) await page.getByRole('button', { name: 'Refresh' }).click()
    }
    await context.close()
  }, 180_000)
  afterAll(() => studio.close())
  beforeEach(async () => {
    clicks = 0
    ;({ page, context } = await studio.visit('desktop'))
    await page.getByLabel('Message', { exact: true }).waitFor()
  })
  afterEach(async () => {
    const shots = process.env['AMODAL_SHOTS']
    if (shots !== undefined)
      await page.screenshot({ path: `${shots}/${expect.getState().currentTestName ?? ''}.png` })
    await context.close()
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS)
  })

  test('what did this run do', async () => {
    await click(place('Sessions'))
    await click(page.getByRole('link', { name: /Which incidents are there/ }))
    await click(
      page.getByRole('link', { name: 'Trace' }).or(page.getByRole('tab', { name: 'Trace' })),
    )
    await page
      .getByRole('treeitem', { name: /query_store/ })
      .first()
      .waitFor()
  })

  test('why did it ask', async () => {
    await click(place('Inbox'))
    await click(page.getByRole('link', { name: /Please mail Anna/ }))
    await page.getByText('send_mail').first().waitFor()
    await page.getByText(WHY).first().waitFor()
  })

  test('may it do this', async () => {
    await click(place('Agent'))
    await click(page.getByRole('link', { name: 'Access' }))
    await page.getByRole('columnheader', { name: 'clerk' }).waitFor()
    await page.getByRole('row', { name: /query_store/ }).waitFor()
  })

  test('what did yesterday cost', async () => {
    await click(place('Usage'))
    await click(page.getByRole('button', { name: 'Yesterday' }))
    await expect
      .poll(() =>
        page
          .locator('.usage-summary > div', { hasText: 'Cost' })
          .locator('dd')
          .first()
          .textContent(),
      )
      .toMatch(/\$|\d/)
    expect(page.url()).toContain('range=yesterday')
  })

  test('did the last change make it better', async () => {
    const links = page.locator('[data-widget="record-list"]').nth(1).locator('a')
    await click(place('Evals'))
    await click(links)
    await page.getByText('Compare with').waitFor()
    await click(links)
    await page.getByText(/0 worse, 1 better|1 worse, 0 better/).waitFor()
  })
})
