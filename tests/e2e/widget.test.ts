/** `<amodal-chat>` in pages of another origin under a strict policy: four hosts, as people use it. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@amodal/sdk/client'
import { startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { build } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startShop, type Shop } from '../../examples/widget-host/src/shop.ts'
import { isWhole } from '../support/random.ts'
import { violationsIn } from './axe.ts'
import { findBrowser, openBrowser } from './browser.ts'
import { script } from './react/talk.ts'
import { ATTACKS } from './react/xss.ts'
import { root } from './server.ts'

const found = await findBrowser()
describe.skipIf(found === undefined)('the widget', () => {
  let browser: Browser
  let model: ModelServer
  let dir: string
  let shop: Shop
  let context: BrowserContext
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-widget-'))
    await cp(join(root, 'examples/widget-host/agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    ;[browser, model] = await Promise.all([
      openBrowser(found ?? { executablePath: '' }),
      startModelServer({ script, keep: 100 }),
    ])
    shop = await startShop({ dir, env: { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' } })
  })
  afterAll(async () => {
    await browser?.close()
    await shop?.[Symbol.asyncDispose]()
    await model?.close()
    await rm(dir, { recursive: true, force: true })
  })
  const watch = (opened: Page): void => {
    opened.setDefaultTimeout(60_000)
    opened.on('pageerror', (error) => problems.push(error.message))
    opened.on('console', (message) => {
      if (message.type() === 'error' && !/ERR_|Failed to load resource/.test(message.text()))
        problems.push(message.text())
    })
    opened.on('dialog', (dialog) => {
      problems.push(`a script ran: ${dialog.message()}`)
      void dialog.dismiss()
    })
  }
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    problems.length = 0
    watch(page)
  })
  afterEach(async () => {
    expect(problems).toEqual([])
    await context.close()
  })

  const say = async (text: string, of: Page = page): Promise<void> => {
    await of.getByLabel('Message').fill(text)
    await of.getByRole('button', { name: 'Send' }).click()
  }
  /** A turn is over once its end stands in the log. */
  const ended = async (turns: number, of: Page = page): Promise<void> => {
    await expect.poll(() => of.locator('.end').count()).toBe(turns)
    await of.locator('[data-state=idle]').waitFor()
  }
  const openFloating = async (of: Page = page): Promise<void> => {
    await of.goto(shop.url)
    await of.getByRole('button', { name: 'Ask the shop' }).click()
  }

  test('from one script tag: opens, answers, survives a reload, and closes', async () => {
    await openFloating()
    await page.getByText('Ask about an order').waitFor()
    expect(
      await page.evaluate(
        () => document.activeElement?.shadowRoot?.activeElement?.getAttribute('aria-label') ?? '',
      ),
    ).toBe('Message')
    await say('hi')
    await ended(1)
    await openFloating()
    await page.getByText('Hello.').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Ask the shop' }).waitFor()
    expect(await page.getByText('Hello.').first().isVisible()).toBe(false)
  })

  test.each(['/react', '/vue'])('in the app of %s, with the person of the host', async (path) => {
    await context.addCookies([{ name: 'user', value: `ann${path.slice(1)}`, url: shop.url }])
    await page.goto(shop.url + path)
    await say('hi')
    await ended(1)
    await expect.poll(() => page.getByTestId('session').textContent()).toMatch(/^sess_/)
    // somebody else has signed in: the conversation of the first is not theirs
    await context.addCookies([{ name: 'user', value: 'bob', url: shop.url }])
    await page.goto(shop.url + path)
    await say('echo mine')
    await ended(1)
    expect(await page.locator('.log').textContent()).toContain('mine')
    expect(await page.getByText('Hello.').count()).toBe(0)
  })

  test('asks before a tool runs, after a reload too, and answers a question', async () => {
    await openFloating()
    await say('refund it')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await openFloating()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await ended(1)
    await say('refund it')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByLabel('What should it do instead?').fill('Call me first')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('Call me first', { exact: true }).waitFor()
    await ended(2)
    await say('ask me')
    await page.getByRole('button', { name: 'A-18' }).click()
    await ended(3)
    await say('fail')
    await page.getByText('the model takes no such').first().waitFor()
  })

  test('a person lists and reads no session of another one', async () => {
    const tokenOf = async (user: string): Promise<string> => {
      const response = await fetch(`${shop.url}/agent-token`, {
        method: 'POST',
        headers: { cookie: `user=${user}` },
      })
      return ((await response.json()) as { readonly token: string }).token // of the host
    }
    const [cleo, dan] = await Promise.all(
      ['cleo', 'dan'].map(async (user) =>
        createClient({ url: shop.agent, credential: await tokenOf(user) }),
      ),
    )
    const { session = '' } = (await cleo?.ask({ text: 'hi' })) ?? {}
    expect((await cleo?.sessions())?.sessions.map(({ id }) => id)).toEqual([session])
    expect((await dan?.sessions())?.sessions).toEqual([])
    await expect(dan?.session(session)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(dan?.ask({ text: 'hi', session })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
  })

  test('two tabs show one session as it happens, and either stops it', async () => {
    await openFloating()
    const other = await context.newPage()
    watch(other)
    await openFloating(other)
    await say('slowly')
    await other.getByText('One two').waitFor()
    await other.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped').first().waitFor()
    await Promise.all([ended(1), ended(1, other)])
    await say('echo from the other', other)
    await Promise.all([ended(2), ended(2, other)])
    expect(await page.locator('.text').last().textContent()).toBe('from the other')
  })

  test('takes a function for the token that the page has set before the script came', async () => {
    await page.goto(`${shop.url}/nothing`) // of the same origin, and without a policy
    await page.evaluate((url) => {
      const chat = Object.assign(document.createElement('amodal-chat'), {
        getToken: async () => {
          const response = await fetch('/agent-token', { method: 'POST' })
          return ((await response.json()) as { readonly token: string }).token // of the host
        },
      })
      chat.setAttribute('url', url)
      chat.setAttribute('position', 'inline')
      document.body.append(chat)
    }, shop.agent)
    await page.addScriptTag({ url: `${shop.agent}/widget.js` })
    await say('hi')
    await ended(1)
  })

  test('two widgets on one page have sessions of their own', async () => {
    await page.goto(`${shop.url}/element`)
    const [orders, stock] = [page.locator('#orders'), page.locator('#stock')]
    await orders.getByLabel('Message').fill('echo of orders')
    await orders.getByRole('button', { name: 'Send' }).click()
    await stock.getByLabel('Message').fill('echo of stock')
    await stock.getByRole('button', { name: 'Send' }).click()
    await orders.getByText('of orders', { exact: true }).first().waitFor()
    await stock.getByText('of stock', { exact: true }).first().waitFor()
    expect(await stock.getByText('of orders').count()).toBe(0)
    // one of them remembers its session
    await page.reload()
    await orders.getByText('of orders', { exact: true }).first().waitFor()
    expect(await stock.getByText('of stock').count()).toBe(0)
  })

  test('shows Markdown as elements, and HTML as text', async () => {
    await openFloating()
    await say('markdown')
    await ended(1)
    const text = page.locator('.text')
    expect(await text.locator('ol > li').count()).toBe(2)
    expect(await text.locator('ol ul > li').textContent()).toBe('see the order (example.com)')
    expect(await text.locator('td').allTextContents()).toEqual(['A-17', '20'])
    expect(await text.locator('pre').textContent()).toBe('select <b>1</b>')
    expect(await text.locator('img, b, script').count()).toBe(0)
    expect(await text.textContent()).toContain('<img src=x onerror=alert(1)>')
  })

  test('nothing of a text runs, wherever it stands', async () => {
    let executed = 0
    await page.exposeFunction('xss', () => executed++)
    await openFloating()
    const attacks = isWhole() ? ATTACKS : ATTACKS.filter((_, at) => at % 8 === 0)
    for (const [at, attack] of attacks.entries()) {
      await say(`echo ${attack}`)
      await ended(at + 1)
    }
    for (const [at, place] of ['question', 'tool', 'widget', 'error'].entries()) {
      await say(`attack the ${place}`)
      if (place === 'question') await page.getByRole('group').getByRole('button').first().click()
      if (place === 'tool') await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await ended(attacks.length + at + 1)
    }
    expect(executed).toBe(0)
    expect(
      await page
        .locator('amodal-chat')
        .locator(
          'script, iframe, img, svg, object, embed, [onerror], [onload], [href^="javascript" i]',
        )
        .count(),
    ).toBe(0)
  })

  test('its Markdown runs nothing without the guards of the server, on a page without a policy', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(root, 'sdk/widget/src/view/markdown.ts')],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'markdown',
      conditions: ['@amodal/source'],
    })
    let executed = 0
    await page.exposeFunction('xss', () => executed++)
    await page.setContent('<div id="text"></div>')
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
    const show = (text: string): Promise<string> =>
      page.evaluate((source) => {
        const element = document.getElementById('text')
        const { markdown } = window as unknown as {
          readonly markdown: { showMarkdown(element: Element | null, text: string): void }
        }
        for (let end = 0; end < source.length; end += 7)
          markdown.showMarkdown(element, source.slice(0, end)) // as it streams
        markdown.showMarkdown(element, source)
        for (const link of element?.querySelectorAll('a') ?? []) {
          link.removeAttribute('target')
          if (!/^(https?|mailto):/.test(link.href)) link.click()
        }
        return element?.innerHTML ?? ''
      }, text)
    const attributes = (): Promise<string> =>
      page.evaluate(() =>
        [...document.querySelectorAll('#text *')]
          .flatMap((element) => element.getAttributeNames())
          .join('\n'),
      )
    for (const attack of ATTACKS) {
      const html = await show(attack)
      expect(html).not.toMatch(/<(?:script|iframe|img|svg|object|embed|style|link|meta|base|form)/i)
      expect(await attributes()).not.toMatch(/^(?:on|srcdoc|src|style)/im)
    }
    expect(executed).toBe(0)
    expect(await show('[a](https://example.com/x_(y)) *b* __c__ `d` snake_case_name ~~e~~')).toBe(
      '<p><a href="https://example.com/x_(y)" target="_blank" rel="noopener noreferrer nofollow">a</a> <em>b</em> <strong>c</strong> <code>d</code> snake_case_name <del>e</del></p>'.replace(
        ' target="_blank"',
        '',
      ),
    )
    // what grows without an end costs no more than its length
    const begin = Date.now()
    for (const part of ['[', '**a', '`', '_a', '> ', '- ', '|', 'http://', '  '])
      await show(part.repeat(3_000))
    expect(Date.now() - begin).toBeLessThan(60_000)
  })

  test('has no violations that axe finds: closed, open, while it asks, in the dark', async () => {
    await page.goto(shop.url)
    await page.getByRole('button', { name: 'Ask the shop' }).waitFor()
    expect(await violationsIn(page)).toEqual([])
    await page.getByRole('button', { name: 'Ask the shop' }).click()
    await say('markdown')
    await ended(1)
    await say('refund it')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    expect(await violationsIn(page)).toEqual([])
    await page.goto(`${shop.url}/element`)
    await page.locator('#stock').getByLabel('Message').waitFor()
    expect(await violationsIn(page)).toEqual([])
  })

  test('500 times in and out of the page leave nothing behind', async () => {
    await page.goto(`${shop.url}/element`)
    await page.locator('#orders').getByLabel('Message').waitFor()
    const session = await context.newCDPSession(page)
    const counts = async (): Promise<{ nodes: number; listeners: number }> => {
      await session.send('HeapProfiler.collectGarbage')
      const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters')
      return { nodes, listeners: jsEventListeners }
    }
    const mount = (times: number): Promise<void> =>
      page.evaluate(async (count) => {
        const url = document.querySelector('amodal-chat')?.getAttribute('url') ?? ''
        for (let at = 0; at < count; at++) {
          const element = document.createElement('amodal-chat')
          element.setAttribute('url', url)
          element.setAttribute('memory', 'none')
          document.body.append(element)
          await Promise.resolve()
          element.remove()
          await Promise.resolve()
        }
      }, times)
    await mount(20)
    const before = await counts()
    await mount(500)
    const after = await counts()
    expect(after.nodes - before.nodes).toBeLessThan(200)
    expect(after.listeners - before.listeners).toBeLessThan(50)
  })
})
