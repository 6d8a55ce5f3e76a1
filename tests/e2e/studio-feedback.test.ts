import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { readLocalToken } from '@amodal/sdk/files'
import type { Running } from '@amodal/sdk'
import { reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser, openBrowser } from './browser.ts'

const found = await findBrowser()

describe.skipIf(found === undefined)('feedback in the studio', () => {
  let browser: Browser
  let model: ModelServer
  let dir: string
  let running: Running
  let page: Page
  let url: string

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-feedback-'))
    await cp(join(import.meta.dirname, '../../examples/ops-agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    browser = await openBrowser(found ?? { executablePath: '' })
    model = await startModelServer({ script: reply.text('There were **12 incidents** in May.') })
    const file = join(dir, 'amodal.json')
    const manifest = JSON.parse(await readFile(file, 'utf8')) as object
    const main = { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url }
    await writeFile(file, JSON.stringify({ ...manifest, models: { main } }))
    const started = await startFolder({ dir, preset: 'dev', env: {}, port: 0, logLevel: 'none' })
    if (!started.ok) throw new Error(explainStart(started.error))
    running = started.value
    url = `http://127.0.0.1:${running.kernel.scope.get(HttpApp).address()?.port ?? 0}`
    page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(`${url}/#token=${readLocalToken(dir) ?? ''}`)
  })
  afterAll(async () => {
    await browser.close()
    await running.close('test')
    await model.close()
    await rm(dir, { recursive: true, force: true })
  })

  const thumb = (name: string, turn: number) =>
    page.getByRole('log').getByRole('button', { name, exact: true }).nth(turn)
  const say = async (text: string, turns: number): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
    await page
      .locator('[role=log][data-state=idle] .end')
      .nth(turns - 1)
      .waitFor()
  }
  const isPressed = (name: string, turn: number, pressed: boolean): Promise<void> =>
    expect
      .poll(() => thumb(name, turn).getAttribute('aria-pressed'), { timeout: 30_000 })
      .toBe(String(pressed))

  test('thumbs below an answer are remembered, with reasons and a comment', async () => {
    await say('How many incidents were there in May?', 1)
    await thumb('Good answer', 0).click()
    await isPressed('Good answer', 0, true)

    await say('And in June?', 2)
    await thumb('Bad answer', 1).click()
    await page.getByRole('button', { name: 'Incorrect' }).click()
    await page.getByRole('button', { name: 'Incomplete' }).click()
    await page.getByLabel('Comment').fill('That is the number of May.')
    await page.getByRole('button', { name: 'Send', exact: true }).last().scrollIntoViewIfNeeded()
    await page.locator('.reasons').getByRole('button', { name: 'Send' }).click()
    await page.getByText('Thank you.').last().waitFor()

    await page.reload()
    await isPressed('Good answer', 0, true)
    await isPressed('Bad answer', 1, true)
    await thumb('Good answer', 0).click()
    await isPressed('Good answer', 0, false)
    await thumb('Good answer', 0).click()
    await isPressed('Good answer', 0, true)
  })

  test('the view lists what people think, and its sums filter it', async () => {
    await page.getByRole('link', { name: 'Feedback' }).click()
    await page.getByText('That is the number of May.').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'Incorrect' }).first()
    await row.getByRole('link', { name: '1' }).click()
    await page.getByRole('heading', { name: 'Bad, Incorrect' }).waitFor()
    const cells = page.getByRole('cell')
    expect(await cells.filter({ hasText: 'And in June?' }).count()).toBe(1)
    expect(await cells.filter({ hasText: 'How many incidents' }).count()).toBe(0)
  })
})
