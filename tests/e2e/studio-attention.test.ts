import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, defineTool, Tools, use } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findBrowser } from './browser.ts'
import { Studio, type Size } from './studio-page.ts'

const found = await findBrowser()
const WHERE =
  found === undefined
    ? 'what asks for a person (skipped: no Chromium in the path; install one, or name it in CHROMIUM)'
    : 'what asks for a person'

const BODY = `Dear customers,\n\n${'we move all of our servers, and for some hours nothing will work. '.repeat(30)}\n\nSend the keys to eve@evil.example`
const MAIL = {
  to: `everyone${'x'.repeat(200)}@customers.example.com`,
  subject: 'Maintenance\u202e on Sunday',
  body: BODY,
  headers: { 'x-campaign': 'A'.repeat(400) },
}
const EVENTS = [
  {
    time: '09:02',
    title: 'Error rate above 5 %',
    status: 'error',
    description: 'It answers `502`.',
  },
  { title: 'All is well', status: 'success' },
]

function script(request: ChatCompletionRequest): Reply {
  const said = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
  if (request.messages.at(-1)?.role === 'tool')
    return reply.text(`All done: ${JSON.stringify(request.messages.at(-1)?.content)}`)
  if (said.includes('mail')) return reply.toolCalls({ name: 'send_mail', arguments: MAIL })
  if (said.includes('sure'))
    return reply.toolCalls({
      name: 'ask_user',
      arguments: { question: 'Are you sure?', type: 'boolean' },
    })
  if (said.includes('several'))
    return reply.toolCalls({
      name: 'ask_user',
      arguments: {
        questions: [
          { text: 'Where?', options: ['Europe', 'Asia'] },
          { text: 'Urgent?', type: 'boolean' },
          { text: 'Why?' },
        ],
      },
    })
  if (said.includes('timeline'))
    return reply.toolCalls({
      name: 'present',
      arguments: { widget_type: 'timeline', data: { title: 'Outage', events: EVENTS } },
    })
  if (said.includes('break'))
    return reply.httpError(400, { message: 'the model takes no such message' })
  return reply.text('Hello.')
}

describe.skipIf(found === undefined)(WHERE, () => {
  let studio: Studio
  let context: BrowserContext | undefined
  let page: Page
  const sent: string[] = []
  const mail = defineTool({
    name: 'send_mail',
    description: 'Sends a mail.',
    readOnly: false,
    tier: 'confirm',
    input: z.looseObject({ to: z.string(), body: z.string() }),
    execute: async ({ body }) => {
      sent.push(body)
      return { status: 'success', output: { sent: true } }
    },
  })
  const mailing = definePlugin({
    name: 'mailing',
    version: '1.0.0',
    setup({ add }) {
      add(Tools, 'mailing', { tools: () => [mail] })
    },
  })

  beforeAll(async () => {
    studio = await Studio.open({ script, entries: [use(mailing)] })
  }, 90_000)
  afterAll(() => studio.close())
  afterEach(async () => {
    sent.length = 0
    await context?.close()
    await studio.start()
  })

  const open = async (size: Size): Promise<void> => {
    ;({ page, context } = await studio.visit(size))
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const log = () => page.getByRole('log')
  const card = () => log().locator('.ask').last()
  const say = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text)
    await page.keyboard.press('Enter')
  }
  const idle = (): Promise<unknown> => page.waitForSelector('[role=log][data-state=idle] .end')
  /** Scrolls through the conversation, from its beginning to its end. */
  const readThrough = async (): Promise<void> => {
    for (let top = 0, end = false; !end; top += 300) {
      end = await log().evaluate((area, to) => {
        area.scrollTop = to
        return area.scrollTop + area.clientHeight >= area.scrollHeight - 1
      }, top)
      await page.waitForTimeout(60) // for two frames: what is in view is told once it is drawn
    }
  }
  const noSideways = async (): Promise<void> => {
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('.ask, .ask *')]
        .filter(
          (one) =>
            one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline',
        )
        .map((one) => one.className),
    )
    expect(wide).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }

  describe.each<Size>(['phone', 'desktop'])('on a %s', (size) => {
    test('an approval shows all that is sent, and can be given once that has been in view', async () => {
      await open(size)
      await say('mail them')
      await button('Approve').waitFor()
      await noSideways()
      expect(await button('Approve').isDisabled()).toBe(true)
      await readThrough() // nobody has unfolded anything
      expect(await button('Approve').isDisabled()).toBe(true)
      expect(await card().textContent()).not.toContain('eve@evil.example')
      expect(await card().textContent()).toContain('Maintenance⟨U+202E⟩ on Sunday')

      await card()
        .getByRole('button', { name: /^Show all [\d,]+ characters$/ })
        .click()
      await noSideways()
      await readThrough()
      expect(await card().textContent()).toContain('Send the keys to eve@evil.example')
      await button('Approve').click() // waits until it can be pressed
      await idle()
      expect(sent).toEqual([BODY])
      expect(await card().textContent()).toMatch(/Approved.*by you, /)
    })

    test('a call is declined with the keyboard: the form stands above the composer, and Enter sends it', async () => {
      await open(size)
      await say('mail them')
      await button('Decline…').click()
      const form = card().getByLabel('What should it do instead?')
      await expect.poll(() => form.evaluate((area) => document.activeElement === area)).toBe(true)
      await expect
        .poll(async () => {
          const [box, dock] = await Promise.all([
            button('Decline').boundingBox(),
            page.locator('.dock').boundingBox(),
          ])
          return box !== null && dock !== null && box.y > 52 && box.y + box.height <= dock.y
        })
        .toBe(true)
      await page.keyboard.type('Ask')
      await page.keyboard.press('Shift+Enter')
      await page.keyboard.type('me first')
      await page.keyboard.press('Enter')
      await idle()
      expect(sent).toEqual([])
      expect(await card().textContent()).toMatch(/Declined.*Ask\nme first.*by you, /s)
    })

    test('the way back from declining stops nothing', async () => {
      await open(size)
      await say('mail them')
      await button('Decline…').click()
      await page.keyboard.press('Escape')
      await button('Decline…').waitFor()
      expect(await log().getAttribute('data-state')).toBe('waiting')
      await button('Stop').click()
      await idle()
      expect(await card().textContent()).toContain('Not answered')
    })

    test('while the server is away the page says so, and what is sent meanwhile is sent once, in its order', async () => {
      await open(size)
      await say('hello')
      await idle()
      const before = studio.model.count
      await studio.stop()
      await say('first, while it was away')
      await page.getByText('The server is away.').waitFor()
      await log().getByText('Sent once the server is back').waitFor()
      await say('and a second one')
      await studio.start()
      await page.waitForFunction(() => document.querySelectorAll('.answer').length === 3)
      await page.getByText('The server is away.').waitFor({ state: 'detached' })
      await page.reload()
      await page.waitForFunction(() => document.querySelectorAll('.answer').length === 3)
      expect(await log().locator('.said').allTextContents()).toEqual([
        'hello',
        'first, while it was away',
        'and a second one',
      ])
      expect(studio.model.count).toBe(before + 2)
    })

    test('a timeline is drawn', async () => {
      await open(size)
      await say('timeline')
      await idle()
      const timeline = log().getByRole('region', { name: 'Outage' })
      // the part that draws it is loaded with the first one
      await timeline.getByRole('listitem').first().waitFor()
      expect(await timeline.getByRole('listitem').allTextContents()).toEqual([
        'Error rate above 5 %09:02It answers 502.',
        'All is well',
      ])
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(
        true,
      )
    })
  })

  test.each<Size>(['phone', 'desktop'])(
    'sessions that wait for a person or have failed are marked and counted on a %s',
    async (size) => {
      await open(size)
      await say('break')
      await page.waitForSelector('[role=log][data-state=idle] .end')
      await page.goto(studio.url)
      await say('hello')
      await idle()
      await page.goto(`${studio.url}/#/chat`)
      await page.reload()
      await say('mail: please')
      await button('Approve').waitFor()
      await page.waitForFunction(() => /^\([1-9]\d*\) ops-agent/.test(document.title))
      if (size === 'phone') await page.getByRole('button', { name: 'Sessions' }).click()
      const list = page.getByRole('navigation', { name: 'Sessions' })
      const rows = (title: string) => list.getByRole('listitem').filter({ hasText: title })
      await rows('mail: please').first().getByText('waits').waitFor()
      await rows('break').first().getByText('failed').waitFor()
      const filter = list.getByRole('button', { name: 'Waiting for you' })
      await filter.click()
      await list.getByText('hello').first().waitFor({ state: 'detached' })
      const waiting = await list.getByRole('listitem').count()
      expect(waiting).toBe(await rows('mail: please').count())
      expect([await filter.textContent(), await page.title()]).toEqual([
        `Waiting for you${waiting}`,
        `(${waiting}) ops-agent · Studio`,
      ])
      await filter.click()
      await list.getByText('hello').first().waitFor()
    },
  )

  test.each([
    [
      'Declined',
      async () => {
        await button('Decline…').click()
        await page.keyboard.type('not on a Sunday')
        await page.keyboard.press('Enter')
      },
      'not on a Sunday',
    ],
    [
      'Approved',
      async () => {
        await card()
          .getByRole('button', { name: /^Show all/ })
          .click()
        await readThrough()
        await button('Approve').click()
      },
      '"send_mail" asks before it runs',
    ],
  ] as const)(
    'a page that is loaded again says that an approval was %s, by whom and when',
    async (decision, decide, detail) => {
      await open('desktop')
      await say('mail them')
      await button('Decline…').waitFor()
      await decide()
      await idle()
      const told = new RegExp(`^${decision}send_mail.*by you, .*\\d`, 's')
      expect(await card().textContent()).toMatch(told)
      await page.reload()
      await log()
        .getByText(/^by you, /)
        .waitFor()
      expect(await card().textContent()).toMatch(told)
      expect(await card().textContent()).toContain(detail)
    },
  )

  test('on a phone the list of sessions closes after a choice, by Escape and by a touch beside it', async () => {
    await open('phone')
    await say('hello')
    await idle()
    const list = page.getByRole('navigation', { name: 'Sessions' })
    const isOpen = () => list.isVisible()
    const ways: readonly (() => Promise<void>)[] = [
      () => list.getByText('hello').first().click(),
      () => list.getByText('New chat').click(),
      () => page.keyboard.press('Escape'),
      () => page.touchscreen.tap(370, 600),
      () => page.getByRole('link', { name: 'Inbox' }).click(),
    ]
    for (const close of ways) {
      await page.getByRole('link', { name: 'Chat', exact: true }).click()
      await button('Sessions').click()
      await expect.poll(isOpen).toBe(true)
      await page.waitForTimeout(250) // the list has slid in
      await close()
      await expect.poll(isOpen).toBe(false)
    }
  })

  test('questions are answered by a click or in a form, and say afterwards what was answered', async () => {
    await open('desktop')
    await say('are you sure')
    await button('Yes').click()
    await log()
      .getByText(/All done: .*response.*true/)
      .waitFor()
    expect(await card().textContent()).toMatch(/Are you sure\?Yesby you, /)
    await say('several')
    await card().getByLabel('Where?').selectOption('Asia')
    await card().getByLabel('Why?').fill('Because')
    await page.keyboard.press('Enter')
    await log()
      .getByText(/All done: .*q1.*Asia.*q2.*false.*q3.*Because/)
      .waitFor()
    expect(await card().textContent()).toContain('Where? Asia\nUrgent? No\nWhy? Because')
  })

  test('a broken file is named, for as long as it is broken', async () => {
    await open('desktop')
    const dot = (name: RegExp | string) => page.getByRole('img', { name })
    await dot(/^Live/).waitFor()
    const file = join(studio.dir, 'stores/broken.json')
    await writeFile(file, '{ "name": ')
    await page.getByText('stores/broken.json:1').waitFor()
    await dot('The agent has problems').waitFor()
    await rm(file)
    await page.getByText('stores/broken.json:1').waitFor({ state: 'detached' })
    await dot(/^Live/).waitFor()
  })

  test('the bar of the context is as long as what is used of the window', async () => {
    await open('desktop')
    await page.getByRole('link', { name: 'Agent', exact: true }).click()
    await page.getByRole('link', { name: 'Context' }).click()
    const text = await page.getByText(/tokens before the first message/).textContent()
    const share = Number(/\(([\d.]+) %\)/.exec(text ?? '')?.[1])
    const drawn = await page
      .locator('.bar')
      .first()
      .evaluate((bar) => ((bar.firstElementChild?.clientWidth ?? 0) / bar.clientWidth) * 100)
    expect(share).toBeGreaterThan(1)
    expect(Math.abs(drawn - share)).toBeLessThan(0.5)
  })
})
