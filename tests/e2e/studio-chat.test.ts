import { definePlugin, defineTool, Tools, use } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findBrowser } from './browser.ts'
import { Studio, type Size } from './studio-page.ts'

const found = await findBrowser()
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let answers = 0

/** Answers with a number that counts, and with what it was sent. */
function script({ messages }: ChatCompletionRequest): Reply {
  const last = messages.findLast(({ role }) => role === 'user')?.content
  const text = typeof last === 'string' ? last : JSON.stringify(last)
  if (text.includes('mail') && messages.at(-1)?.role === 'user')
    return reply.toolCalls({ name: 'send_mail', arguments: { to: 'ann@acme.example' } })
  const users = messages.filter(({ role }) => role === 'user').length
  return reply.text(`Answer ${++answers} to message ${users}.`)
}

describe.skipIf(found === undefined)('the chat of the studio', () => {
  let studio: Studio
  let context: BrowserContext | undefined
  let page: Page
  const mailing = definePlugin({
    name: 'mailing',
    version: '1.0.0',
    setup({ add }) {
      const send = defineTool({
        name: 'send_mail',
        description: 'Sends a mail.',
        readOnly: false,
        tier: 'confirm',
        input: z.looseObject({ to: z.string() }),
        execute: async () => ({ status: 'success', output: 'sent' }),
      })
      add(Tools, 'mailing', { tools: () => [send] })
    },
  })

  beforeAll(async () => {
    studio = await Studio.open({ script, entries: [use(mailing)] })
  }, 90_000)
  afterAll(() => studio.close())
  afterEach(async () => {
    answers = 0
    await context?.close()
  })

  const open = async (size: Size): Promise<void> => {
    ;({ page, context } = await studio.visit(size))
  }
  const message = () => page.getByLabel('Message', { exact: true })
  const say = async (text: string): Promise<void> => {
    await message().fill(text)
    await page.keyboard.press('Enter')
  }
  const answer = (number: number) => page.getByText(`Answer ${number} to`)
  const texts = () => page.locator('article').allTextContents()
  const session = () => page.evaluate(() => location.hash.split('/').at(-1))

  test('files go with a message: picked, pasted, dropped, and shown again after a reload', async () => {
    await open('desktop')
    await page.locator('input[type=file]').setInputFiles([
      { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello there') },
      { name: 'other.txt', mimeType: 'text/plain', buffer: Buffer.from('not this one') },
    ])
    await page.getByRole('button', { name: 'Remove other.txt' }).click()
    await page.evaluate((pixel) => {
      const bytes = Uint8Array.from(atob(pixel), (one) => one.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], 'dot.png', { type: 'image/png' }))
      const options = { clipboardData: data, bubbles: true, cancelable: true }
      document.querySelector('textarea')?.dispatchEvent(new ClipboardEvent('paste', options))
    }, PIXEL)
    const dropped = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['from a folder'], 'dropped.txt', { type: 'text/plain' }))
      return data
    })
    await page.locator('.chat').dispatchEvent('drop', { dataTransfer: dropped })
    const attached = page.getByRole('list', { name: 'Attached files' })
    for (const name of ['note.txt', 'dot.png', 'dropped.txt'])
      await attached.locator('li[data-state=ready]', { hasText: name }).waitFor()
    await say('What is in them?')
    await answer(1).waitFor()
    const last = JSON.stringify(studio.model.requests.at(-1))
    expect(last).toContain('hello there')
    expect(last).toContain(PIXEL)
    expect(last).toContain('from a folder')
    expect(last).not.toContain('not this one')
    await attached.waitFor({ state: 'detached' })

    await page.getByRole('img', { name: 'dot.png' }).waitFor()
    await page.reload()
    await page.getByRole('img', { name: 'dot.png' }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: /note\.txt/ }).click()
    expect((await download).suggestedFilename()).toBe('note.txt')
  })

  test('a file that the server refuses says why, and nothing is sent with it', async () => {
    await open('desktop')
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) }])
    const row = page.getByRole('list', { name: 'Attached files' }).locator('li')
    await row.and(page.locator('[data-state=failed]')).waitFor()
    expect(await row.textContent()).toMatch(/empty/)
    await message().fill('and now?')
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Remove empty.txt' }).click()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(false)
  })

  test('a turn is tried once more, forked, and sent again with another text', async () => {
    await open('desktop')
    await say('first')
    await answer(1).waitFor()
    await say('second')
    await answer(2).waitFor()
    const original = await session()

    await page.getByRole('button', { name: 'Retry' }).last().click()
    await answer(3).waitFor()
    const retried = await session()
    expect(retried).not.toBe(original)
    expect(await texts()).toEqual([
      'first',
      'Answer 1 to message 1.',
      'second',
      'Answer 3 to message 2.',
    ])
    await page.reload()
    await answer(3).waitFor()
    expect(await texts()).toHaveLength(4)

    await page.getByRole('button', { name: 'Fork from here' }).first().click()
    await page.getByText('second').waitFor({ state: 'detached' })
    expect(await texts()).toEqual(['first', 'Answer 1 to message 1.'])

    await page.locator('article.said').first().hover()
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByRole('textbox', { name: 'Edit and resend' }).fill('changed')
    await page.locator('form.edit-message').getByRole('button', { name: 'Send' }).click()
    await answer(4).waitFor()
    expect(await texts()).toEqual(['changed', 'Answer 4 to message 1.'])
    await page.goto(`${studio.url}/#/chat/${original ?? ''}`)
    await answer(2).waitFor() // the one that it came from is as it was
  })

  test('a page without the key is asked for it beside the question, and the answer counts', async () => {
    await open('desktop')
    await page.evaluate(() => sessionStorage.clear())
    await page.goto(`${studio.url}/`)
    await page.reload()
    await say('mail ann')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByLabel(/The link that the server printed/).fill('amodal_wrong')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel(/The link that the server printed/).fill(studio.link)
    await page.getByRole('button', { name: 'Continue' }).click()
    await answer(1).waitFor()
    await page.getByText(/^Approved/).waitFor()
    expect(await texts()).toContain('mail ann')
  })

  test('the places are reached by keys, and by what is typed', async () => {
    await open('desktop')
    await say('keyboard alone')
    await answer(1).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#main').focus()
    await page.keyboard.press('2')
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await page.getByText('Nothing waits for you.').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder(/Places, sessions/).fill('sess')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.getByRole('link', { name: 'keyboard alone' }).click()
    await page.getByRole('heading', { name: 'keyboard alone' }).waitFor()
    await answer(1).waitFor()
  })

  test('what waits stands in the inbox, and is decided there', async () => {
    await open('phone')
    await say('mail bob')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await page.getByRole('link', { name: /Inbox/ }).click()
    await page.getByRole('link', { name: /mail bob/ }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await answer(1).waitFor()
    await page.getByRole('link', { name: 'Back to the inbox' }).click()
    await page.getByText('Nothing waits for you.').waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'System' }).click()
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })
})
