import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, defineTool, Tools, use } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()

/** Steps with Tab that a person takes before they give up. */
const MOST_STEPS = 60

function script({ messages }: ChatCompletionRequest): Reply {
  const question = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
  if (messages.at(-1)?.role === 'tool') return reply.text('All done.')
  return question.includes('mail')
    ? reply.toolCalls({ name: 'send_mail', arguments: { to: 'anna@customers.example' } })
    : reply.text('Hello.')
}

describe.skipIf(found === undefined)('the studio by keyboard alone', () => {
  let studio: Studio
  let context: BrowserContext
  let page: Page
  const mails: string[] = []

  const mailing = definePlugin({
    name: 'mailing',
    version: '1.0.0',
    setup({ add }) {
      const mail = defineTool({
        name: 'send_mail',
        description: 'Sends a mail.',
        readOnly: false,
        tier: 'confirm',
        input: z.looseObject({ to: z.string() }),
        execute: async ({ to }) => {
          mails.push(to)
          return { status: 'success', output: { sent: true } }
        },
      })
      add(Tools, 'mailing', { tools: () => [mail] })
    },
  })

  beforeAll(async () => {
    studio = await Studio.open({ script, entries: [use(mailing)] })
  }, 90_000)
  afterAll(() => studio.close())
  afterEach(() => context.close())

  const open = async (): Promise<void> => {
    ;({ page, context } = await studio.visit('desktop'))
    await page.getByLabel('Message', { exact: true }).waitFor()
  }
  const press = (key: string): Promise<void> => page.keyboard.press(key)

  /** What has the focus: its name, and whether a person sees that. */
  const focused = (): Promise<{ readonly name: string; readonly isMarked: boolean }> =>
    page.evaluate(() => {
      let element = document.activeElement
      // the editor of files stands in a shadow tree
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
      // after the last element the browser's own controls follow
      if (element === document.body) return { name: '', isMarked: true }
      if (!(element instanceof HTMLElement)) return { name: '', isMarked: false }
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
      const isEdited =
        element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)
      const labels = element instanceof HTMLInputElement ? (element.labels ?? []) : []
      const name =
        element.getAttribute('aria-label') ??
        ([...labels].map(({ textContent }) => textContent).join(' ') || element.textContent || '')
      return {
        name: name.trim(),
        isMarked:
          isEdited || (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none',
      }
    })

  /** Goes on with Tab to what has this name; on the way nothing has the focus unseen. */
  async function tabTo(name: RegExp, key = 'Tab'): Promise<void> {
    const passed: string[] = []
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      await press(key)
      const element = await focused()
      passed.push(element.name.slice(0, 40))
      expect(element, `the focus is seen: ${passed.join(' | ')}`).toMatchObject({ isMarked: true })
      if (name.test(element.name)) return
    }
    throw new Error(`${String(name)} is not reached: ${passed.join(' | ')}`)
  }

  /** By the palette, as one goes anywhere. */
  async function goTo(place: string): Promise<void> {
    await press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type(place)
    await page.getByRole('option', { name: place }).first().waitFor()
    const selected = page.locator('[role=option][aria-selected=true]')
    for (let options = 0; options < 10; options += 1) {
      if ((await selected.first().textContent())?.startsWith(place) === true) break
      await press('ArrowDown')
    }
    await press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  test('a message is written, what it asks is approved, and its trace is read', async () => {
    await open()
    await tabTo(/^Message$/)
    await page.keyboard.type('Please mail Anna')
    await press('Enter')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await tabTo(/^Approve/)
    await press('Enter')
    await page.getByText('All done.').waitFor()
    expect(mails).toEqual(['anna@customers.example'])

    await tabTo(/^Trace$/)
    await press('Enter')
    await page.getByRole('treeitem').first().waitFor()
    await tabTo(/^End$/) // the last of the filters, before the tree
    await press('Tab')
    for (let rows = 0; rows < 2; rows += 1) await press('ArrowDown')
    await press('Enter')
    await page.getByText('What was sent').waitFor()
  })

  test('a document is found, changed and saved', async () => {
    await open()
    await goTo('Stores')
    await page.getByRole('link', { name: 'Incidents' }).first().waitFor()
    await tabTo(/^Incidents/)
    await press('Enter')
    await page.getByRole('grid').or(page.getByRole('table')).first().waitFor()
    await tabTo(/^INC-/)
    await press('Enter')
    await page.getByRole('link', { name: 'Edit' }).waitFor()
    await tabTo(/^Edit$/)
    await press('Enter')
    await page.getByLabel('Title').waitFor()
    await tabTo(/^Title/)
    await press('Control+a')
    await page.keyboard.type('Renamed by keyboard')
    await tabTo(/^Save$/)
    await press('Enter')
    await page.getByRole('heading', { name: 'Renamed by keyboard' }).waitFor()
  })

  test('a file of the agent is opened, edited and saved', async () => {
    await open()
    await goTo('Agent')
    await page.getByRole('tab', { name: 'Files' }).waitFor()
    await tabTo(/^Changes$/)
    await tabTo(/^Files$/, 'ArrowRight')
    await press('Enter')
    await page.locator('[data-path="knowledge/baselines.md"]').waitFor()
    await tabTo(/^baselines\.md/)
    await press('Enter')
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    await tabTo(/^Edit$/)
    await press('Enter')
    await page.getByRole('textbox', { name: /^Text of/ }).waitFor()
    await expect.poll(async () => (await focused()).name).toMatch(/^Text of/)
    await press('Control+End')
    await page.keyboard.type('Written by keyboard.')
    await press('Control+s')
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    const text = await readFile(join(studio.dir, 'knowledge/baselines.md'), 'utf8')
    expect(text).toMatch(/Written by keyboard\.\s*$/)
  })

  test('each place of the rail is reached, and the focus is seen on the way through it', async () => {
    await open()
    const names = await page
      .getByRole('navigation')
      .first()
      .getByRole('link')
      .evaluateAll((links) =>
        links.map((link) => link.getAttribute('aria-label') ?? link.textContent),
      )
    expect(names.length).toBeGreaterThan(6)
    for (const name of names) {
      await goTo(name)
      for (let steps = 0; steps < 25; steps += 1) {
        await press('Tab')
        expect(await focused(), `${name}, step ${steps}`).toMatchObject({ isMarked: true })
      }
    }
  })
})
