import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()

/** JSON is YAML as well. */
const SUITE = {
  name: 'greetings',
  cases: [
    { name: 'polite', input: 'Say hello', assert: [{ contains: 'Hello' }] },
    { name: 'formal', input: 'Say good day', assert: [{ contains: 'Good day' }] },
  ],
}

test.skipIf(found === undefined)('the studio runs evals and says why a case fails', async () => {
  const studio = await Studio.open({
    script: reply.text('Hello.'),
    entries: [],
    files: { 'evals/greetings.yaml': SUITE },
  })
  onTestFinished(() => studio.close())
  const { page } = await studio.visit('desktop')
  await page.getByRole('link', { name: 'Evals' }).click()
  for (const _ of [1, 2]) {
    await page.getByRole('button', { name: 'Run all' }).click()
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return page.getByRole('cell', { name: 'done' }).count()
      })
      .toBe(_)
  }
  const shots = process.env['AMODAL_SHOTS']
  if (shots !== undefined) await page.screenshot({ path: `${shots}/evals-list.png` })
  await page.locator('[data-widget="record-list"]').nth(1).locator('a').first().click()
  await page.getByText('not found in').first().waitFor()
  if (shots !== undefined) await page.screenshot({ path: `${shots}/evals-run.png` })
  await page.getByRole('link', { name: 'greetings / formal' }).click()
  await page.getByText('Tool calls').waitFor()
  if (shots !== undefined) await page.screenshot({ path: `${shots}/evals-trial.png` })
  await page.goBack()
  await page.locator('[data-widget="record-list"]').nth(1).locator('a').first().click()
  await page.getByText('0 worse, 0 better').waitFor()
  if (shots !== undefined) await page.screenshot({ path: `${shots}/evals-compare.png` })
})
