/** `<amodal-chat>` while its server is killed and comes back, and while connections are cut. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '@amodal/sdk/client'
import { startModelServer, type ModelServer } from '@amodal/sdk/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isWhole, newRandom, type Random } from '../support/random.ts'
import { findBrowser, openBrowser } from './browser.ts'
import { Front } from './react/front.ts'
import { script, WORDS } from './react/talk.ts'
import { root, serve, type Server } from './server.ts'

const found = await findBrowser()
const SLOW_ANSWER = WORDS.join('')

describe.skipIf(found === undefined)('the widget', () => {
  let browser: Browser
  let model: ModelServer
  let dir: string
  let front: Front
  let server: Server
  let client: Client
  let context: BrowserContext
  let page: Page
  const problems: string[] = []
  const pages: Record<string, { readonly type: string; readonly body: string }> = {}

  /** On the port and with the data of before. */
  const restart = async (): Promise<void> => {
    server = await serve(
      dir,
      { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' },
      front.target,
    )
  }
  const kill = (): Promise<unknown> => server.process.kill('SIGKILL')

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-widget-cuts-'))
    await cp(join(root, 'examples/widget-host/agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    ;[browser, model, front] = await Promise.all([
      openBrowser(found ?? { executablePath: '' }),
      startModelServer({ script, keep: 100 }),
      Front.start(pages),
    ])
    await restart()
    front.target = Number(new URL(server.url).port)
    client = createClient({ url: server.url, credential: server.credential })
    pages['/page'] = { type: 'text/html', body: pageWith(server.credential) }
  })
  afterAll(async () => {
    await browser?.close()
    await front?.close()
    await server?.[Symbol.asyncDispose]()
    await model?.close()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    problems.length = 0
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(`${front.url}/page`)
    await page.getByLabel('Message').waitFor()
  })
  afterEach(async () => {
    front.cutAfter = () => undefined
    front.isLost = () => false
    expect(problems).toEqual([])
    await context.close()
  })

  /**
   * Streams end after a random number of bytes. Every other one passes, so that at least the
   * connection itself makes progress.
   */
  const cutStreams = (random: Random): void => {
    let streams = 0
    front.cutAfter = () => (streams++ % 2 === 0 ? random.within(1, 900) : undefined)
  }
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const ended = async (turns: number): Promise<void> => {
    await expect.poll(() => page.locator('.end').count(), { timeout: 60_000 }).toBe(turns)
    await page.locator('[data-state=idle]').waitFor()
  }
  /** Texts and calls as a person sees them, in their order. */
  const shown = (): Promise<readonly string[]> =>
    page
      .locator('.log > :is(.user, .text, .call)')
      .evaluateAll((elements) =>
        elements.map(
          (element) =>
            `${element.className} ${element.querySelector('details')?.dataset['status'] ?? element.textContent.trim()}`,
        ),
      )
  const stored = async (): Promise<readonly string[]> => {
    const session = await page
      .locator('amodal-chat')
      .evaluate((element) => Reflect.get(element, 'session'))
    const { messages } = await client.session(String(session))
    return messages.flatMap(({ role, text, toolCalls = [] }) => [
      ...(text === '' ? [] : [`${role === 'user' ? 'user' : 'text'} ${text.trim()}`]),
      ...toolCalls.map(({ status }) => `call ${status}`),
    ])
  }
  /** The page shows what was talked, once each, and so does the server, and a page loaded anew. */
  const showsOnce = async (talk: readonly string[], turns: number): Promise<void> => {
    await ended(turns)
    expect(await shown()).toEqual(talk)
    expect(await stored()).toEqual(talk)
    await page.reload()
    await ended(turns)
    expect(await shown()).toEqual(talk)
  }

  test('goes on with an answer whose server was killed and came back on its port', async () => {
    const random = newRandom()
    cutStreams(random)
    const { cuts } = front
    await say('slowly')
    await page.getByText('One two').waitFor()
    await kill()
    await page.locator('[data-state=away]').waitFor()
    await restart()
    await ended(1)
    await say('refund it')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await kill()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await restart()
    await ended(2)
    await kill()
    await say('echo while it is away')
    await page.locator('[data-state=away]').waitFor()
    await restart()
    const talk = [
      'user slowly',
      `text ${SLOW_ANSWER.trim()}`,
      'user refund it',
      'call success',
      'text Done.',
      'user echo while it is away',
      'text while it is away',
    ]
    await showsOnce(talk, 3)
    expect(front.cuts - cuts, `seed ${random.seed}`).toBeGreaterThan(0)
  })

  test('shows each message and answer once, wherever streams are cut and answers are lost', async () => {
    const random = newRandom()
    cutStreams(random)
    let answers = 0
    front.isLost = (method) => method === 'POST' && answers++ % 2 === 0
    const before = { cuts: front.cuts, losses: front.losses }
    const turns = isWhole() ? 40 : 8
    const talk: string[] = []
    for (let at = 1; at <= turns; at++) {
      if (at % 4 === 0) {
        await say(`refund number ${at}`)
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
        talk.push(`user refund number ${at}`, 'call success', 'text Done.')
      } else {
        const text = `number ${at} ${'word '.repeat(random.within(1, 200))}`.trim()
        await say(`echo ${text}`)
        talk.push(`user echo ${text}`, `text ${text}`)
      }
      await ended(at)
      expect(await shown(), `seed ${random.seed}`).toEqual(talk)
    }
    await showsOnce(talk, turns)
    expect(front.cuts - before.cuts, `seed ${random.seed}`).toBeGreaterThanOrEqual(turns / 2)
    expect(front.losses - before.losses).toBeGreaterThan(0)
  })
})

/** The token is set before the script has come, as pages do whose own scripts are there first. */
const pageWith = (token: string): string => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>A page with a chat</title>
  <amodal-chat position="inline"></amodal-chat>
  <script>document.querySelector('amodal-chat').getToken = () => ${JSON.stringify(token)}</script>
  <script src="/widget.js" async></script>
</html>`
