/** `@amodal/react` in a browser, with both versions of React, in strict mode. */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, historyItems, type Client, type Item } from '@amodal/sdk/client'
import { startModelServer, type ModelServer } from '@amodal/sdk/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newRandom } from '../support/random.ts'
import { findBrowser, openBrowser } from './browser.ts'
import { bundleWith, VERSIONS } from './react/bundle.ts'
import { ATTACKS } from './react/xss.ts'
import { Front } from './react/front.ts'
import { script, WORDS } from './react/talk.ts'
import { root, serve, type Server } from './server.ts'

const found = await findBrowser()

describe.skipIf(found === undefined).each(VERSIONS)('with React %s', (version) => {
  let browser: Browser
  let model: ModelServer
  let dir: string
  let front: Front
  let server: Server
  let client: Client
  let context: BrowserContext
  let page: Page
  const problems: string[] = []

  const start = async (): Promise<void> => {
    server = await serve(dir, { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' })
    front.target = Number(new URL(server.url).port)
  }
  const kill = async (): Promise<void> => {
    front.target = 0
    await server.process.kill('SIGKILL')
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-react-'))
    await cp(join(root, 'examples/use-chat/agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    const [opened, started, code, css] = await Promise.all([
      openBrowser(found ?? { executablePath: '' }),
      startModelServer({ script, keep: 100 }),
      bundleWith(version, 'page.tsx'),
      readFile(join(root, 'sdk/react/src/style.css'), 'utf8'),
    ])
    browser = opened
    model = started
    front = await Front.start({
      '/': { type: 'text/html', body: HTML },
      '/page.js': { type: 'text/javascript', body: code },
      '/style.css': { type: 'text/css', body: css },
    })
    await start()
    client = createClient({ url: front.url, credential: server.credential })
  })
  afterAll(async () => {
    await browser?.close()
    await front?.close()
    await server?.[Symbol.asyncDispose]()
    await model?.close()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    front.cutAfter = () => undefined
    context = await browser.newContext()
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    problems.length = 0
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      const text = message.text()
      // the browser itself reports requests that a killed server did not answer
      if (message.type() === 'error' && !/ERR_|Failed to load resource/.test(text))
        problems.push(text)
    })
    await page.goto(`${front.url}/#${server.credential}`)
    await page.getByLabel('Message').waitFor()
  })
  afterEach(async () => {
    expect(problems).toEqual([])
    await context.close()
  })

  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const settled = (answers: number): Promise<unknown> =>
    page.waitForFunction(
      (count) =>
        window.chat?.status === 'idle' &&
        window.chat.items.filter(({ kind }) => kind === 'end').length === count,
      answers,
    )
  /** What the hook returns is what the server has stored. */
  const isAsStored = async (): Promise<void> => {
    const { session, items } = await page.evaluate(() => ({
      session: window.chat?.session ?? '',
      items: JSON.stringify(window.chat?.items),
    }))
    const details = await client.session(session)
    const shown = comparable(JSON.parse(items) as readonly Item[]) // items of the page
    expect(shown).toEqual(comparable(historyItems(details.messages, details)))
    expect(shown.length).toBeGreaterThan(0)
  }

  test('streams an answer, stores it, and shows it after a reload', async () => {
    await page.getByText('Welcome').waitFor()
    await say('hi')
    await page.getByText('Hello.').waitFor()
    await settled(1)
    await isAsStored()
    await page.reload()
    await page.getByText('Hello.').waitFor()
    await settled(1)
    await isAsStored()
  })

  test('asks before a tool runs, also after a reload, and in the list of all sessions', async () => {
    await say('refund it')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await expect.poll(() => page.getByTestId('waiting').textContent()).toBe('1')
    await page.reload()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Done.').waitFor()
    await settled(1)
    await isAsStored()
    await expect.poll(() => page.getByTestId('waiting').textContent()).toBe('0')
  })

  test('declines with words, answers a question, and shows why a turn failed', async () => {
    await say('refund it')
    await page.getByRole('button', { name: 'Decline…' }).click()
    await page.getByLabel('What should it do instead?').fill('Call me first')
    await page.getByRole('button', { name: 'Decline', exact: true }).click()
    await settled(1)
    await page.getByText('Call me first', { exact: true }).waitFor()
    await say('ask me')
    await page.getByRole('button', { name: 'A-18' }).click()
    await settled(2)
    await isAsStored()
    await say('fail')
    await settled(3)
    expect(await page.locator('.pcw-note[data-tone=error]').textContent()).toContain(
      'the model takes no such',
    )
  })

  test('stops what runs', async () => {
    await say('slowly')
    await page.getByText('One two').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    await settled(1)
  })

  test('keeps both sessions apart while one of them streams', async () => {
    await say('slowly')
    await page.getByText('One two').waitFor()
    const first = await page.evaluate(() => window.chat?.session)
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.getByText('Welcome').waitFor()
    await say('hi')
    await settled(1)
    expect(await page.locator('.pcw-log').textContent()).not.toContain('One')
    await page.goBack()
    await page.waitForFunction((id) => window.chat?.session !== id, first)
    await page.evaluate((id) => {
      history.pushState(null, '', `/?session=${id}`)
      dispatchEvent(new PopStateEvent('popstate'))
    }, first)
    await page.getByText(WORDS.join('').trim()).waitFor()
    await settled(1)
    await isAsStored()
  })

  test('the first example of the documentation runs', async () => {
    const documentation = await readFile(join(root, 'docs/react.md'), 'utf8')
    const example = /```tsx\n([^]*?)```/.exec(documentation)?.[1] ?? ''
    const code = await bundleWith(version, 'page.tsx', {
      entryPoints: [],
      stdin: {
        contents: example.replace('http://127.0.0.1:3847', front.url),
        loader: 'tsx',
        resolveDir: join(root, 'tests/e2e'),
      },
      loader: { '.css': 'empty' },
    })
    const other = await context.newPage()
    await other.route(`${front.url}/page.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: code }),
    )
    await other.goto(front.url)
    await other.getByPlaceholder('Ask about incidents').fill('hi')
    await other.keyboard.press('Enter')
    await other.getByText('Hello.').waitFor()
  })

  test('runs no script of any text, and follows no link to one', async () => {
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await page.evaluate(() => {
      Object.assign(window, { attacks: 0, xss: () => window.attacks++ })
    })
    let turns = 0
    // every text comes from the person as well as from the model
    for (const attack of ATTACKS) {
      await say(`echo ${attack}`)
      await settled(++turns)
    }
    await say('attack the tool')
    await page.getByRole('button', { name: 'Approve' }).click()
    await settled(++turns)
    await say('attack the widget')
    await settled(++turns)
    await say('attack the question')
    await page.locator('.pcw-choices button').first().click()
    await settled(++turns)
    await say('attack the error')
    await settled(++turns)
    for (const summary of await page.locator('.pcw-call summary').all()) await summary.click()
    const dangers = await page
      .locator('.pcw-chat')
      .evaluate((chat) =>
        [...chat.querySelectorAll('*')].flatMap((element) => [
          ...(/^(script|iframe|object|embed|img|svg|math|base|meta|link|style|audio|video)$/i.test(
            element.tagName,
          )
            ? [element.outerHTML]
            : []),
          ...[...element.attributes]
            .filter(({ name }) => name.startsWith('on') || name === 'srcdoc')
            .map(({ name }) => `${element.tagName} ${name}`),
          ...(element instanceof HTMLAnchorElement && !/^(https?|mailto):/.test(element.protocol)
            ? [element.href]
            : []),
        ]),
      )
    expect(dangers).toEqual([])
    expect(await page.locator('.pcw-markdown').count()).toBeGreaterThanOrEqual(ATTACKS.length)
    expect(await page.evaluate(() => window.attacks)).toBe(0)
    expect(dialogs).toEqual([])
    expect(ATTACKS).toHaveLength(50)
  })

  test('goes on over a server that is killed and comes back, and over cuts', async () => {
    const random = newRandom()
    // every other stream is cut, so that at least the connection itself makes progress
    let streams = 0
    front.cutAfter = () => (streams++ % 2 === 0 ? random.within(1, 1_500) : undefined)
    const cutsBefore = front.cuts
    await say('slowly')
    await page.getByText('One').waitFor()
    await kill()
    await start()
    await settled(1)
    await isAsStored()
    await say('refund it')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await kill()
    await page.getByRole('button', { name: 'Approve' }).click()
    await start()
    await settled(2)
    await isAsStored()
    await kill()
    await say('slowly, while it is away')
    await page.getByText('The server is away.').waitFor()
    await start()
    await settled(3)
    await isAsStored()
    expect(front.cuts, `seed ${random.seed}`).toBeGreaterThan(cutsBefore)
  })
})

/** What a person sees of items, whichever way they came. */
function comparable(items: readonly Item[]): readonly object[] {
  return items.flatMap((item): readonly object[] => {
    switch (item.kind) {
      case 'user':
      case 'text':
        return [{ kind: item.kind, text: item.text }]
      case 'call':
        return [
          {
            call: item.name,
            // a stream has the options of a question as its tool has read them
            params: item.name === 'ask_user' ? undefined : item.params,
            status: item.status,
            result: valueOf(item),
          },
        ]
      case 'ask':
        return item.ask.kind === 'approval'
          ? [{ ask: item.ask.tool, open: item.open, decision: item.settled?.decision }]
          : [] // a stored question is the call that it belongs to
      case 'end':
        return [{ end: item.reason }]
      case 'note':
        return item.tone === 'error' ? [{ note: item.text }] : []
      case 'widget':
        return [{ widget: item.type, data: item.data }]
      case 'thought':
      case 'doubt':
        return []
      default:
        return item satisfies never
    }
  })
}

/** A stream has a result as the text of a tool, the history as JSON of another layout. */
function valueOf({ result = '' }: Extract<Item, { readonly kind: 'call' }>): unknown {
  try {
    return JSON.parse(result)
  } catch {
    return result
  }
}

const HTML =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>React</title><link rel="stylesheet" href="/style.css"><div id="root"></div><script type="module" src="/page.js"></script></html>'
