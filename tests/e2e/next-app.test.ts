/** `examples/next-app`, built and started as in production, before a real agent's server. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, type Client } from '@amodal/sdk/client'
import { startModelServer, type ModelServer } from '@amodal/sdk/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startNext, type NextServer } from '../support/next-server.ts'
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts'
import { findBrowser, openBrowser } from './browser.ts'
import { script, WORDS } from './react/talk.ts'
import { root, serve, type Server } from './server.ts'

const found = await findBrowser()
const app = join(root, 'examples/next-app')
const NEXT = 'node_modules/next/dist/bin/next'

describe.skipIf(found === undefined)('the app of Next.js', () => {
  const secret = randomBytes(32).toString('base64url')
  const key = `amodal_${'a'.repeat(12)}_${secret}`
  let browser: Browser
  let model: ModelServer
  let dir: string
  let agent: Server
  let next: NextServer
  /** What stands before each of them, for the browser. */
  let site: RecordingProxy
  let door: RecordingProxy
  let context: BrowserContext
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-next-app-'))
    await cp(join(app, 'agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    ;[browser, model, site, door] = await Promise.all([
      openBrowser(found ?? { executablePath: '' }),
      startModelServer({ script, keep: 100 }),
      startRecordingProxy(),
      startRecordingProxy(),
    ])
    await writeFile(
      join(dir, 'amodal.json'),
      JSON.stringify({ name: 'shop', plugins: [['http', { cors: { origins: [site.url] } }]] }),
    )
    agent = await serve(dir, {
      AMODAL_BASE_URL: model.url,
      AMODAL_MODEL: 'scripted',
      AMODAL_API_KEYS: `${key};name=site;scopes=chat+sessions+tokens`,
      AMODAL_TOKEN_SECRET: randomBytes(32).toString('base64url'),
    })
    door.target = Number(new URL(agent.url).port)
    const { PATH = '' } = process.env
    const env = { PATH, AMODAL_URL: door.url, AMODAL_KEY: key, NEXT_TELEMETRY_DISABLED: '1' }
    await promisify(execFile)(process.execPath, [NEXT, 'build'], { cwd: app, env })
    next = await startNext([NEXT, 'start'], app, env)
    site.target = next.port
  })
  afterAll(async () => {
    await browser?.close()
    await next?.[Symbol.asyncDispose]()
    await agent?.[Symbol.asyncDispose]()
    await Promise.all([site?.[Symbol.asyncDispose](), door?.[Symbol.asyncDispose]()])
    await model?.close()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    problems.length = 0
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
  })
  afterEach(() => context.close())

  /** The agent for a person, as a program would have it. */
  const clientOf = async (user: string): Promise<Client> => {
    const response = await fetch(`${agent.url}/auth/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user }),
    })
    const { token } = (await response.json()) as { readonly token: string } // of the agent
    return createClient({ url: agent.url, credential: token })
  }
  const signIn = async (name: string, on: Page = page): Promise<void> => {
    await on.goto(site.url)
    await on.getByLabel('Your name').fill(name)
    await on.getByRole('button', { name: 'Sign in' }).click()
    await on.getByRole('button', { name: `Sign out ${name}` }).waitFor()
  }
  const send = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const isIdle = (): Promise<void> => page.locator('main[data-status=idle]').waitFor()

  test('renders the history on the server, without a script', async () => {
    const { session } = await (await clientOf('ann')).ask({ text: 'Good morning' })
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const paper = await plain.newPage()
    await signIn('ann', paper)
    await paper.getByRole('navigation').getByRole('link', { name: 'Good morning' }).click()
    await paper.waitForURL(`**/?session=${session}`)
    expect(await paper.locator('article').allTextContents()).toEqual(['Good morning', 'Hello.'])
    await plain.close()
  })

  test('streams an answer into the history, and finds all of it after a reload', async () => {
    const { session } = await (await clientOf('bea')).ask({ text: 'Good morning' })
    await signIn('bea')
    await page.goto(`${site.url}/?session=${session}`)
    await send('Count slowly')
    await page
      .locator('main[data-status=running] article', {
        hasText: 'One two',
        hasNotText: WORDS.at(-1) ?? '',
      })
      .waitFor()
    await isIdle()
    const before = await page.locator('article').allTextContents()
    expect(before).toEqual(['Good morning', 'Hello.', 'Count slowly', WORDS.join('')])
    await page.reload()
    expect(await page.locator('article').allTextContents()).toEqual(before)
    expect(problems).toEqual([])
  })

  test('begins a conversation that has an address, and another one', async () => {
    await signIn('cleo')
    await send('hi')
    await page.waitForURL('**/?session=sess_*')
    await isIdle()
    const articles = page.locator('article')
    expect(await articles.allTextContents()).toEqual(['hi', 'Hello.'])
    await page.getByRole('link', { name: 'New conversation' }).click()
    await expect.poll(() => articles.count()).toBe(0)
    await send('echo another')
    await expect.poll(() => articles.allTextContents()).toEqual(['echo another', 'another'])
    await page.getByRole('navigation').getByRole('link', { name: 'hi', exact: true }).click()
    await expect.poll(() => articles.allTextContents()).toEqual(['hi', 'Hello.'])
    expect(problems).toEqual([])
  })

  test('has a person decide, after a reload too, and stops what runs', async () => {
    await signIn('dan')
    await send('refund it')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await page.waitForURL('**/?session=sess_*')
    await page.reload()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('Done.').waitFor()
    expect(await page.getByText('open question').count()).toBe(0)
    expect(await page.locator('.call').getAttribute('data-state')).toBe('success')
    await isIdle()
    await send('Count slowly')
    await page.getByRole('button', { name: 'Stop' }).click()
    await isIdle()
    await page.reload()
    await page.getByText('Count slowly', { exact: true }).waitFor()
    expect(await page.getByText(WORDS.at(-1) ?? '').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('shows nobody the conversation of somebody else', async () => {
    const { session } = await (await clientOf('eve')).ask({ text: 'A secret' })
    await signIn('fay')
    const response = await page.goto(`${site.url}/?session=${session}`)
    expect(response?.status()).toBe(404)
    expect(await page.content()).not.toContain('A secret')
  })

  test('gives strangers no token', async () => {
    const response = await fetch(`${site.url}/api/amodal/token`, { method: 'POST' })
    expect(response.status).toBe(401)
    expect(await response.text()).not.toContain('token"')
  })

  test('never sends the key to the browser', () => {
    const received = site.received() + door.received()
    const has = (text: string): boolean => received.includes(text)
    expect(has('Count slowly') && has('expires_at')).toBe(true)
    // so that the search below sees every byte as it is
    expect(/^content-encoding$/im.test(received)).toBe(false)
    expect(has(secret)).toBe(false)
  })
})
