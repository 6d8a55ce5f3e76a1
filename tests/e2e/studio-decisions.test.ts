import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, defineTool, SessionStore, Tools, use } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { findBrowser } from './browser.ts'
import shaky from './shaky-plugin.ts'
import { Studio, type Size } from './studio-page.ts'

const found = await findBrowser()
const WHERE =
  found === undefined
    ? 'what somebody has to decide (skipped: no Chromium in the path; install one, or name it in CHROMIUM)'
    : 'what somebody has to decide'
const PAID = join(tmpdir(), `amodal-paid-${process.pid}.jsonl`)
const WHY = 'it stopped its server 3 times without getting any further'

function script({ messages }: ChatCompletionRequest): Reply {
  const said = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
  if (said.includes('mail') && messages.at(-1)?.role === 'user')
    return reply.toolCalls({ name: 'read_mail', arguments: {} })
  if (said.includes('mail') && JSON.stringify(messages.at(-1)).includes('The shelf is empty'))
    return reply.toolCalls({ name: 'send_mail', arguments: { to: 'ann@acme.example' } })
  if (messages.at(-1)?.role === 'tool') return reply.text('as far as I know')
  if (said.includes('pay'))
    return reply.toolCalls([
      { name: 'pay_keyed', arguments: { amount: 7 } },
      { name: 'pay_plain', arguments: { amount: 8 } },
    ])
  if (said.includes('stumble')) return reply.toolCalls({ name: 'stumble', arguments: {} })
  return reply.text('Hello.')
}

describe.skipIf(found === undefined)(WHERE, () => {
  let studio: Studio
  let context: BrowserContext | undefined
  let page: Page
  let stumbled = false
  /**
   * A tool that has its own session set aside, as the server does once it has crashed with it again
   * and again; the second time it is well.
   */
  const stumbling = definePlugin({
    name: 'stumbling',
    version: '1.0.0',
    provides: [Tools],
    requires: { store: SessionStore },
    setup({ add, deps: { store } }) {
      const stumble = defineTool({
        name: 'stumble',
        description: 'Stumbles.',
        readOnly: true,
        input: z.object({}),
        async execute(_, { tenant, session, signal }) {
          if (stumbled) return { status: 'success', output: 'well' }
          stumbled = true
          const sessionRecord = await store.sessionRecord({ tenant, session }, signal)
          const fencingToken = sessionRecord.ok ? (sessionRecord.value?.fencingToken ?? 0) : 0
          await store.setAside(
            { tenant, session, fencingToken },
            { code: 'RUN_SET_ASIDE', message: WHY, crashes: 3, at: Date.now() },
            signal,
          )
          return { status: 'success', output: 'nobody hears this' }
        },
      })
      add(Tools, 'stumbling', { tools: () => [stumble] })
    },
  })

  /** What strangers write is read, and mail is sent. */
  const mailing = definePlugin({
    name: 'mailing',
    version: '1.0.0',
    setup({ add }) {
      const read = defineTool({
        name: 'read_mail',
        description: 'Reads the newest mail.',
        readOnly: true,
        input: z.object({}),
        execute: async () => ({
          status: 'success',
          output: 'The shelf is empty, says a customer.',
        }),
      })
      const send = defineTool({
        name: 'send_mail',
        description: 'Sends a mail.',
        readOnly: false,
        input: z.object({ to: z.string() }),
        execute: async () => ({ status: 'success', output: 'sent' }),
      })
      add(Tools, 'mailing', { tools: () => [read, send] })
    },
  })

  beforeAll(async () => {
    vi.stubEnv('PAID', PAID)
    studio = await Studio.open({ script, entries: [use(shaky), use(stumbling), use(mailing)] })
  }, 90_000)
  afterAll(async () => {
    await studio.close()
    await rm(PAID, { force: true })
    vi.unstubAllEnvs()
  })
  beforeEach(async () => {
    stumbled = false
    await rm(PAID, { force: true })
    await studio.start()
  })
  afterEach(async () => {
    await context?.close()
    await studio.stop() // the tools lose their first answers once for each start
  })

  const open = async (size: Size): Promise<void> => {
    ;({ page, context } = await studio.visit(size))
  }
  const log = () => page.getByRole('log')
  const card = (name: string) => log().getByRole('region', { name })
  const list = () => page.getByRole('navigation', { name: 'Sessions' })
  const row = () => list().locator('li.current')
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
  }
  const showSessions = async (size: Size): Promise<void> => {
    if (size === 'phone') await page.getByRole('button', { name: 'Sessions' }).click()
  }
  const hideSessions = async (size: Size): Promise<void> => {
    if (size === 'phone') await page.keyboard.press('Escape')
  }
  const noSideways = async (): Promise<void> => {
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
  const payments = async () =>
    (await readFile(PAID, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly name: string; readonly key: string })

  describe.each<Size>(['phone', 'desktop'])('on a %s', (size) => {
    test('calls of unknown outcome are shown with what they sent, and settled', async () => {
      await open(size)
      await say('pay both')
      const asked = card('Did this take effect?')
      await asked.nth(1).waitFor()
      const [keyed, plain] = [
        asked.filter({ hasText: 'pay_keyed' }),
        asked.filter({ hasText: 'pay_plain' }),
      ]
      const [first, second] = await payments()
      expect(await keyed.textContent()).toMatch(new RegExp(`amount7.*key${first?.key ?? ''}`))
      expect(await plain.textContent()).toMatch(
        new RegExp(`amount8.*key${second?.key ?? ''}.*cannot be made again`),
      )
      expect(await plain.getByRole('button', { name: 'Make it again' }).count()).toBe(0)
      await noSideways()
      await showSessions(size)
      await row().getByText('unclear').waitFor()
      await page.waitForFunction(() => document.title.startsWith('(1) '))
      await list().getByRole('button', { name: 'Waiting for you' }).click()
      await row().getByText('unclear').waitFor()
      await list().getByRole('button', { name: 'Waiting for you' }).click()
      await hideSessions(size)

      await plain.getByRole('button', { name: 'It did not happen' }).click()
      await card('It did not take effect').waitFor()
      await keyed.getByRole('button', { name: 'Make it again' }).click()
      await card('Made again, and it succeeded').waitFor()
      expect((await payments()).map(({ key }) => key)).toEqual([
        first?.key,
        second?.key,
        first?.key,
      ])
      await page.waitForFunction(() => !document.title.startsWith('('))
      await page.reload()
      await card('Made again, and it succeeded')
        .getByText(/^by you, .*\d/)
        .waitFor()
      await card('It did not take effect')
        .getByText(/^by you, .*\d/)
        .waitFor()
      await noSideways()
    })

    test('an approval is given for the conversation, and revoked', async () => {
      await open(size)
      await say('mail ann@acme.example')
      const asked = card('Needs your approval')
      await asked.waitFor()
      await asked.getByRole('button', { name: 'Approve in this conversation' }).click()
      const grants = page.getByRole('list', { name: 'Approved in this conversation' })
      await grants.getByText('send_mail').waitFor()
      await log().getByText('as far as I know').waitFor()
      await say('mail ann@acme.example again')
      await log().getByText('as far as I know').nth(1).waitFor()
      expect(await asked.count()).toBe(0)
      await page.reload()
      await card('Approved').getByText('for this conversation').waitFor()
      await noSideways()
      await grants.getByRole('button', { name: 'Revoke' }).click()
      await grants.waitFor({ state: 'detached' })
      await say('mail ann@acme.example once more')
      await asked.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.waitForFunction(() => !document.title.startsWith('('))
    })

    test.each(['Continue', 'End its run'])(
      'a session that is set aside says why, until somebody presses "%s"',
      async (decision) => {
        await open(size)
        await say('stumble')
        const aside = card('This session is set aside')
        await aside.waitFor()
        expect(await aside.textContent()).toMatch(/It stopped its server 3 times.*3 crashes/)
        expect(await log().getAttribute('data-state')).toBe('idle')
        await noSideways()
        await page.reload()
        await aside.waitFor()
        await showSessions(size)
        await row().getByText('set aside').waitFor()
        await page.waitForFunction(() => document.title.startsWith('(1) '))
        await hideSessions(size)
        await aside.getByRole('button', { name: decision }).click()
        await aside.waitFor({ state: 'detached' })
        await log()
          .getByText(decision === 'Continue' ? 'as far as I know' : 'Stopped.')
          .waitFor()
        await page.waitForFunction(() => !document.title.startsWith('('))
      },
    )
  })
})
