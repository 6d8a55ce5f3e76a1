import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { explainStart, startFolder } from '@amodal/presets'
import { LocalToken, use, type Running } from '@amodal/sdk'
import { reply, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, openBrowser } from '../browser.ts'
import { bundle, page as servePage, PAGE } from '../../../examples/use-chat/src/page-plugin.ts'

const found = await findBrowser()

/** Does what the message says. */
const script: Script = (request) => {
  const said = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
  const last = request.messages.at(-1)
  if (said.includes('forever'))
    return reply.text(['Well, ', 'then '], { ending: { kind: 'stall', after: 2 } })
  if (said.includes('slowly'))
    return reply.text(['One ', 'two ', 'three ', 'four ', 'five.'], { pace: 1_000 })
  if (said.includes('break')) return reply.httpError(400, { message: 'the model takes no such' })
  if (last?.role === 'tool') return reply.text(`Done: ${JSON.stringify(last.content)}`)
  if (said.includes('refund'))
    return reply.toolCalls({ name: 'refund_order', arguments: { order: 'A-17', amount: 20 } })
  if (said.includes('ask'))
    return reply.toolCalls({
      name: 'ask_user',
      arguments: { question: 'Which order?', options: ['A-17', 'A-18'] },
    })
  return reply.text(['Hel', 'lo.'])
}

describe.skipIf(found === undefined)('useChat in a browser', () => {
  let browser: Browser
  let model: ModelServer
  let dir: string
  let running: Running
  let address = ''
  let context: BrowserContext
  let page: Page
  const wrong: string[] = []

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-use-chat-'))
    await cp(join(import.meta.dirname, '../../../examples/use-chat/agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    model = await startModelServer({ script, keep: 100 })
    const [opened, started] = await Promise.all([
      openBrowser(found ?? { executablePath: '' }),
      startFolder({
        dir,
        preset: 'dev',
        env: { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' },
        port: 0,
        logLevel: 'none',
        entries: [use(servePage(await bundle()))],
      }),
    ])
    browser = opened
    if (!started.ok) throw new Error(explainStart(started.error))
    running = started.value
    const { scope } = running.kernel
    const { host, port } = scope.get(HttpApp).address() ?? { host: '', port: 0 }
    address = `http://${host}:${port}${PAGE}#${scope.find(LocalToken)?.text() ?? ''}`
  })
  afterAll(async () => {
    await browser?.close()
    await running?.close('test')
    await model?.close()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    wrong.length = 0
    page.on('pageerror', (error) => wrong.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') wrong.push(message.text())
    })
    await page.goto(address)
    await page.getByLabel('Message').waitFor()
  })
  afterEach(async () => {
    expect(wrong).toEqual([])
    await context.close()
  })

  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const ready = (): Promise<void> => page.locator('main[data-status=ready]').waitFor()
  const replies = (): Promise<string[]> => page.locator('article.assistant').allTextContents()

  test('streams a text, and keeps both messages over a reload', async () => {
    await say('hi')
    await page.getByText('Hello.').waitFor()
    await ready()
    await page.reload()
    await page.getByText('Hello.').waitFor()
    expect(await page.locator('article').allTextContents()).toEqual(['hi', 'Hello.'])
  })

  test('asks before a tool runs, over a reload, too; and shows what came of it', async () => {
    await say('refund it')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Done:').waitFor()
    await ready()
    expect(await page.locator('[data-tool=refund_order]').getAttribute('data-state')).toBe(
      'output-available',
    )
    expect(await replies()).toHaveLength(1)
    expect((await replies())[0]).toContain('"refunded": 20')
  })

  test('a call that is declined does not run', async () => {
    await say('refund it')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.getByText('Done:').waitFor()
    expect(await page.locator('[data-tool=refund_order]').getAttribute('data-state')).toBe(
      'output-denied',
    )
  })

  test('a question is answered with a button', async () => {
    await say('ask me')
    await page.getByRole('button', { name: 'A-18' }).click()
    await page.getByText('Done: "A-18"').waitFor()
  })

  test('a reload in the middle of an answer loses nothing of it', async () => {
    await say('slowly')
    await page.getByText('One two').waitFor()
    await page.reload()
    await page.getByText('One two three four five.').waitFor()
    await ready()
    expect(await page.locator('article').allTextContents()).toEqual([
      'slowly',
      'One two three four five.',
    ])
  })

  test('a stop ends the run on the server, and the chat goes on', async () => {
    await say('forever')
    await page.getByText('Well, then').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await ready()
    await say('hi')
    await page.getByText('Hello.').waitFor()
    expect(await replies()).toHaveLength(2)
  })

  test('an error is shown with its code', async () => {
    await say('break')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(/^MODEL_/)
  })
})
