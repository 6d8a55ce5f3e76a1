/** The example `live-board`, in two windows of a browser. */

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { LocalToken, use, type Entry, type Running } from '@amodal/sdk'
import {
  contentText,
  reply,
  startModelServer,
  type ModelServer,
  type Script,
} from '@amodal/sdk/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bundle, PAGE, page as servePage } from '../../examples/live-board/src/page-plugin.ts'
import { findBrowser, openBrowser } from './browser.ts'

const found = await findBrowser()

/** `add TEXT`, `tick NUMBER`; `break` fails behind its tool. */
const script: Script = ({ messages }) => {
  const asked = messages.findLast(({ role }) => role === 'user')
  const [, what, text = ''] = /^(add|tick|break) ?(.*)$/.exec(contentText(asked)) ?? []
  if (messages.at(-1)?.role !== 'user')
    return what === 'break' ? reply.httpError(401, { message: 'no' }) : reply.text('Done.')
  switch (what) {
    case 'add':
    case 'break':
      return reply.toolCalls([{ name: 'add_card', arguments: { text } }])
    case 'tick':
      return reply.toolCalls([{ name: 'tick_card', arguments: { id: Number(text) } }])
    default:
      return reply.text('Hello.')
  }
}

describe.skipIf(found === undefined)('live-board in a browser', () => {
  let browser: Browser
  let model: ModelServer
  let dir: string
  let entry: Entry
  let running: Running
  let port = 0
  let one: Page
  let two: Page
  const wrong: string[] = []

  const start = async (): Promise<void> => {
    const started = await startFolder({
      dir,
      preset: 'dev',
      env: { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' },
      port,
      logLevel: 'none',
      entries: [entry],
    })
    if (!started.ok) throw new Error(explainStart(started.error))
    running = started.value
    port = running.kernel.scope.get(HttpApp).address()?.port ?? 0
  }
  /** A window on an address, which ends with `#token=…`. */
  const open = async (address: string): Promise<Page> => {
    const window = await (await browser.newContext()).newPage()
    window.setDefaultTimeout(60_000)
    window.on('pageerror', (error) => wrong.push(error.message))
    await window.goto(address)
    await window.locator('main[data-version]').waitFor()
    return window
  }
  const newBoard = (): Promise<Page> => {
    const token = running.kernel.scope.find(LocalToken)?.text() ?? ''
    return open(`http://127.0.0.1:${port}${PAGE}#token=${token}`)
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-live-board-'))
    await cp(join(import.meta.dirname, '../../examples/live-board/agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    model = await startModelServer({ script, keep: 100 })
    entry = use(servePage(await bundle()))
    browser = await openBrowser(found ?? { executablePath: '' })
    await start()
  })
  afterAll(async () => {
    await browser?.close()
    await running?.close('test')
    await model?.close()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    wrong.length = 0
    one = await newBoard()
    await one.waitForFunction(() => location.hash.includes('board='))
    two = await open(one.url())
  })
  afterEach(async () => {
    expect(wrong).toEqual([])
    await Promise.all(browser.contexts().map((context) => context.close()))
  })

  const say = async (window: Page, text: string): Promise<void> => {
    const turns = Number(await window.locator('main').getAttribute('data-turns'))
    await window.getByLabel('Message').fill(text)
    await window.getByRole('button', { name: 'Send' }).click()
    await window.locator(`main[data-turns="${turns + 1}"]`).waitFor()
  }
  const titled = (window: Page, title: string): Promise<unknown> =>
    window.waitForFunction(
      (wanted) => document.querySelector<HTMLInputElement>('#title')?.value === wanted,
      title,
    )
  const ticked = (window: Page, card: string): Promise<void> =>
    expect.poll(() => window.getByLabel(card).isChecked(), { timeout: 60_000 }).toBe(true)

  test('what the agent and people change is seen in both windows', async () => {
    await say(one, 'add buy milk')
    for (const window of [one, two]) await window.getByLabel('buy milk').waitFor()
    expect(await one.locator('#reply').textContent()).toBe('Done.')
    await two.getByLabel('buy milk').check()
    await ticked(one, 'buy milk')
    await one.getByLabel('Title').fill('Errands')
    await one.getByLabel('Message').focus()
    await titled(two, 'Errands')
    await say(one, 'add fetch the parcel')
    await say(two, 'tick 2')
    for (const window of [one, two]) await ticked(window, 'fetch the parcel')
    expect(model.requests.some(({ body }) => JSON.stringify(body).includes('called Errands'))).toBe(
      true,
    )
  })

  test('a turn that fails changes nothing, and other boards count with this one', async () => {
    const before = Number(await one.locator('#made').textContent())
    await say(one, 'break it')
    expect(await one.locator('#notice').textContent()).not.toBe('')
    expect(await one.locator('#cards li').count()).toBe(0)
    const other = await newBoard()
    await say(other, 'add elsewhere')
    for (const window of [one, two, other])
      await expect
        .poll(async () => Number(await window.locator('#made').textContent()), { timeout: 60_000 })
        .toBe(before + 1)
    expect(await one.locator('#cards li').count()).toBe(0)
  })

  test('the pages go on where they were once the server is there again', async () => {
    await say(one, 'add before')
    await two.getByLabel('before').waitFor()
    await running.close('restart')
    await start()
    await say(two, 'add after')
    for (const window of [one, two]) {
      await window.getByLabel('after').waitFor()
      expect(await window.locator('#cards li').allTextContents()).toEqual([' before', ' after'])
    }
    await one.reload()
    await one.getByLabel('after').waitFor()
  })
})
