import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { readLocalToken } from '@amodal/sdk/files'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { use, type Running } from '@amodal/sdk'
import {
  reply,
  startModelServer,
  type ChatCompletionRequest,
  type ModelServer,
  type Reply,
} from '@amodal/sdk/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pay } from '../security/support/pay.ts'
import { findBrowser, openBrowser } from './browser.ts'

const found = await findBrowser()
const WHERE =
  found === undefined
    ? 'the studio (skipped: no Chromium in the path; install one, or name it in CHROMIUM)'
    : 'the studio in a browser'
if (found === undefined) process.stderr.write(`${WHERE}\n`)

const WORDS = Array.from({ length: 30 }, (_, at) => `word${at + 1} `)
const TABLE = {
  title: 'Top customers',
  columns: ['Customer', 'Revenue'],
  rows: [
    ['Initech', '$41,750'],
    ['Globex', '$48,290'],
  ],
}
const NASTY =
  'Read [this](javascript:alert(1)) and <img src=x onerror=alert(1)> or ![it](https://elsewhere.example/x.png), **now**.'

/** Does what the message says. */
function script(request: ChatCompletionRequest): Reply {
  const said = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
  const isDone = request.messages.at(-1)?.role === 'tool'
  if (said.includes('count')) return reply.text(WORDS, { pace: 60 })
  if (said.includes('brief')) return reply.text(['In ', 'short.'], { pace: 300 })
  if (said.includes('forever'))
    return reply.text(['Well, ', 'then '], { ending: { kind: 'stall', after: 2 } })
  if (said.includes('nasty')) return reply.text(NASTY)
  if (said.includes('break'))
    return reply.httpError(400, { message: 'the model takes no such message' })
  if (isDone) return reply.text(`All done: ${JSON.stringify(request.messages.at(-1)?.content)}`)
  if (said.includes('pay')) return reply.toolCalls({ name: 'pay', arguments: { amount: 48 } })
  if (said.includes('ask'))
    return reply.toolCalls({
      name: 'ask_user',
      arguments: {
        question: 'Which region?',
        options: [
          { label: 'Europe', value: 'eu' },
          { label: 'Asia', value: 'ap' },
        ],
      },
    })
  if (said.includes('show')) {
    return reply.toolCalls([
      { name: 'query_store', arguments: { store: 'incidents', filter: { severity: 'P1' } } },
      { name: 'present', arguments: { widget_type: 'data-table', data: TABLE } },
    ])
  }
  return reply.text('Hello.')
}

describe.skipIf(found === undefined)(WHERE, () => {
  let browser: Browser
  let model: ModelServer
  let dir: string
  let running: Running
  let port = 0
  let context: BrowserContext
  let page: Page
  const paying = pay('confirm')
  /** What no page may do: ask elsewhere, fail, or do what its policy forbids. */
  const wrong: string[] = []
  const url = (): string => `http://127.0.0.1:${port}`

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const started = await startFolder({
      dir,
      preset: 'dev',
      env,
      port,
      logLevel: 'none',
      entries: [use(paying.plugin)],
    })
    if (!started.ok) throw new Error(explainStart(started.error))
    running = started.value
    port = running.kernel.scope.get(HttpApp).address()?.port ?? 0
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-studio-'))
    await cp(join(import.meta.dirname, '../../examples/ops-agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    const [opened, served] = await Promise.all([
      openBrowser(found ?? { executablePath: '' }),
      startModelServer({ script, keep: 100 }),
    ])
    browser = opened
    model = served
    const file = join(dir, 'amodal.json')
    const manifest = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(
      file,
      JSON.stringify({
        ...manifest,
        models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
      }),
    )
    await start()
  })
  afterAll(async () => {
    await browser.close()
    await running.close('test')
    await model.close()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    wrong.length = 0
    context = await browser.newContext()
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== url()) wrong.push(`asks ${request.url()}`)
    })
    page.on('pageerror', ({ message }) => wrong.push(message))
    page.on('console', (line) => {
      if (/policy/i.test(line.text())) wrong.push(line.text())
    })
    await page.goto(`${url()}/#token=${readLocalToken(dir) ?? ''}`)
  })
  afterEach(async () => {
    await context.close()
    expect(wrong).toEqual([])
  })

  const log = () => page.getByRole('log')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
  }
  const idle = (): Promise<unknown> => page.waitForSelector('[role=log][data-state=idle] .end')
  /** What stands in the conversation, once it does. */
  const reads = (text: RegExp | string): Promise<unknown> => log().getByText(text).first().waitFor()

  test('an answer is shown as it comes; a page loaded again in its midst loses nothing, and shows nothing twice', async () => {
    await say('count')
    await page.waitForFunction(() =>
      /word3 .*(?<!word30 )$/.test(document.querySelector('.answer')?.textContent ?? ''),
    )
    await page.reload()
    await idle()
    expect(await log().locator('.answer p').allTextContents()).toEqual([WORDS.join('')])
    expect(await log().locator('.said').allTextContents()).toEqual(['count'])
    await page.reload() // now from what is kept
    await reads('word30')
    expect(await log().locator('.answer p').allTextContents()).toEqual([WORDS.join('')])
    expect(model.requests.filter(({ body }) => JSON.stringify(body).includes('count')).length).toBe(
      1,
    )
  })

  test('calls show what went in and what came out; widgets stand beside them, also when the page is loaded again', async () => {
    await say('show me')
    await idle()
    for (const loadAgain of [false, true]) {
      if (loadAgain) await page.reload()
      const call = log().locator('[data-tool=query_store] button').first()
      await call.click()
      expect(await call.getAttribute('aria-expanded')).toBe('true')
      expect(await log().getByLabel('Arguments', { exact: true }).textContent()).toContain(
        '"severity": "P1"',
      )
      expect(await log().getByLabel('Result', { exact: true }).textContent()).toContain('INC-2041')
      const table = log().getByRole('region', { name: 'Top customers' })
      // by what it comes to, not as text
      await table.getByRole('button', { name: 'Revenue' }).click()
      expect(await table.locator('td').allTextContents()).toEqual([
        'Initech',
        '$41,750',
        'Globex',
        '$48,290',
      ])
      await table.getByRole('button', { name: 'Revenue' }).click()
      expect(await table.locator('tbody td').first().textContent()).toBe('Globex')
    }
  })

  test('a turn that failed says why, also when the page is loaded again', async () => {
    await say('break')
    for (const loadAgain of [false, true]) {
      if (loadAgain) await page.reload()
      await reads('This turn failed.')
      expect(await log().locator('.note').allTextContents()).toEqual([
        expect.stringContaining('the model takes no such message'),
      ])
    }
  })

  test('with the keyboard alone: a question is answered, sessions are gone through, renamed, removed, and a run is stopped', async () => {
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Message',
    )
    await page.keyboard.type('ask me')
    await press('Enter')
    await button('Europe').waitFor()
    await press('Shift+Tab', 'Shift+Tab', 'Shift+Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Europe')
    await press('Enter')
    await reads(/All done: .*eu/)
    await idle()

    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    })
    await press('n')
    await page.getByRole('heading', { name: 'ops-agent' }).nth(1).waitFor()
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Message',
    )
    await page.keyboard.type('forever')
    await press('Shift+Enter')
    await page.keyboard.type('and ever')
    await press('Enter')
    await reads('Well, then')
    expect(await log().locator('.said').textContent()).toBe('forever\nand ever')
    await press('Escape')
    await reads('Stopped.')

    const current = page.locator('.sessions [aria-current]')
    const titles = () => page.getByRole('navigation', { name: 'Sessions' }).locator('.title')
    await current.focus()
    await press('/')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Message',
    )
    await current.focus()
    await press('ArrowDown', 'Enter')
    await reads(/All done/)
    await press('F2')
    await page.getByLabel('Title', { exact: true }).waitFor()
    await page.keyboard.type('Regions')
    await press('Enter')
    await titles().getByText('Regions').waitFor()
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('Regions'))
    const before = await titles().count()
    await press('k') // in the list: to the one above
    await press('Delete')
    await button('Delete').waitFor()
    await press('Enter')
    await page.waitForFunction(
      (count) => document.querySelectorAll('.sessions .title').length === count - 1,
      before,
    )
    expect(await titles().allTextContents()).not.toContain('forever and ever')
    await press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('an approval outlives the server and the page, and what was approved is done once', async () => {
    await say('pay them')
    await button('Approve').waitFor()
    await running.close('restart')
    await start()
    await page.reload()
    await button('Approve').waitFor()
    expect(await log().locator('.ask').count()).toBe(1)
    expect(paying.paid).toEqual([])
    await button('Approve').click()
    await reads(/All done/)
    await idle()
    expect(paying.paid).toEqual([48])
    expect(await log().locator('.said').allTextContents()).toEqual(['pay them'])
  })

  test('what is said in another window is seen in this one, once', async () => {
    await say('hello')
    await idle()
    const other = await context.newPage()
    await other.goto(page.url())
    await other.getByText('Hello.').waitFor()
    await other.getByLabel('Message', { exact: true }).fill('brief')
    await other.keyboard.press('Enter')
    await reads('In short.')
    await page.waitForFunction(() => document.querySelectorAll('.said').length === 2)
    expect(await log().locator('.said').allTextContents()).toEqual(['hello', 'brief'])
    expect(await log().locator('.answer p').allTextContents()).toEqual(['Hello.', 'In short.'])
  })

  test('what a model writes can neither run nor ask anybody anything', async () => {
    await say('nasty')
    await idle()
    const answer = log().locator('.answer .markdown')
    expect(await answer.textContent()).toBe(
      'Read [this](javascript:alert(1)) and <img src=x onerror=alert(1)> or ! it (elsewhere.example), now.',
    )
    expect(await answer.locator('img, script').count()).toBe(0)
    // nobody named the host: its link is text
    expect(await answer.locator('a').count()).toBe(0)
  })

  test("dark and light are the system's until somebody chooses; other views say what happens, what is sent, and what it is made of", async () => {
    const background = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await background()
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await background()).not.toBe(dark)
    await button('Theme: as the system').click()
    await button('Theme: light').click()
    expect(await background()).toBe(dark)
    await page.reload()
    await button('Theme: dark').waitFor()
    expect(await background()).toBe(dark)

    await say('hello')
    await idle()
    await page.getByRole('link', { name: 'System', exact: true }).click()
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByText('session created').filter({ visible: true }).first().waitFor()
    await page.getByRole('link', { name: 'Agent', exact: true }).click()
    await page.getByRole('link', { name: 'Context' }).click()
    await page.getByText(/tokens before the first message/).waitFor()
    await page.getByRole('link', { name: 'Plugins' }).click()
    await button('loop').click()
    expect(await page.locator('.details').textContent()).toMatch(/^loop.*Provides.*agent/)
    await page.setViewportSize({ width: 360, height: 700 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  })

  test('where a key is needed it is asked for, and kept for this tab alone', async () => {
    const key = `amodal_${'a'.repeat(12)}_${'b'.repeat(43)}`
    await running.close('restart')
    await start({ AMODAL_API_KEYS: `${key};name=ops` })
    await page.reload()
    await page.getByLabel('Key or token').fill('amodal_no')
    await button('Continue').click()
    await page.getByText('The server does not accept this key.').waitFor()
    await page.getByLabel('Key or token').fill(key)
    await button('Continue').click()
    await page.getByRole('navigation', { name: 'Sessions' }).getByText('hello').first().waitFor()
    await page.reload()
    await say('show me')
    await idle()
    const other = await context.newPage()
    await other.goto(url())
    await other.getByLabel('Key or token').waitFor()
    await button('Sign out').click()
    await page.getByLabel('Key or token').waitFor()
  })
})
