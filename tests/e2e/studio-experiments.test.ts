import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()

test.skipIf(found === undefined)('the studio shows an experiment and promotes it', async () => {
  const studio = await Studio.open({
    script: reply.text('Hello.'),
    entries: [],
    files: {
      'experiments/tone.json': { share: 1, variants: { brief: { prompt: 'Answer briefly.' } } },
    },
  })
  onTestFinished(() => studio.close())
  const { page } = await studio.visit('desktop')
  await page.getByRole('link', { name: 'Experiments' }).click()
  await page.getByRole('cell', { name: 'running' }).waitFor()
  const shots = process.env['AMODAL_SHOTS']
  if (shots !== undefined) await page.screenshot({ path: `${shots}/experiments-list.png` })
  await page.getByRole('link', { name: 'tone', exact: true }).click()
  await page.getByText('too few principals').first().waitFor()
  if (shots !== undefined) await page.screenshot({ path: `${shots}/experiments-one.png` })
  await page.getByRole('button', { name: 'Promote' }).last().click()
  const question = page.getByRole('group', { name: 'Promote "brief" of "tone"?' })
  await question.getByRole('button', { name: 'Promote' }).click()
  await page.getByText('tone: feedback, promoted').waitFor()
  const text = await readFile(join(studio.dir, 'agents/main/AGENT.md'), 'utf8')
  expect(text).toContain('Answer briefly.')
})
