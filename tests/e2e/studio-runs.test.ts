/** Runs in the studio: started, followed, answered, and what comes of them with its citations. */

import { AgentProfiles } from '@amodal/plugin-agent-runs/tokens'
import { definePlugin, defineTool, Tools, use } from '@amodal/sdk'
import { contentText, reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { violationsIn } from './axe.ts'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()

const QUOTE = 'pump 3 failed twice in May'
const NOTES = `Notes of the shift.\n${'Nothing to report. '.repeat(80)}\nOn the 4th, ${QUOTE}, each time after a restart.\n${'Quiet. '.repeat(200)}`
const KNOWN = 'Above 60 it gets slower'
const REPORT = '# Pumps in May\n\n| Pump | Failures |\n|---|---|\n| 3 | **2** |\n\n<b>No HTML</b>'
const MAIL = { to: 'anna@customers.example', text: 'The report on pump 3.' }

/** Tools of the run, and a profile that has to ask for more turns before its report is written. */
const reporting = definePlugin({
  name: 'reporting',
  version: '1.0.0',
  setup({ add }) {
    const notes = defineTool({
      name: 'read_notes',
      description: 'Reads the notes of a shift.',
      readOnly: true,
      input: z.object({ month: z.string() }),
      execute: () =>
        Promise.resolve({
          status: 'success',
          output: { month: 'May', notes: NOTES },
        }),
    })
    const mail = defineTool({
      name: 'send_mail',
      description: 'Sends a mail.',
      readOnly: false,
      tier: 'confirm',
      input: z.object({ to: z.string(), text: z.string() }),
      execute: () => Promise.resolve({ status: 'success', output: 'sent' }),
    })
    add(Tools, 'reporting', { tools: () => [notes, mail] })
    add(AgentProfiles, 'reporter', {
      id: 'reporter',
      name: 'Reporter',
      description: 'Writes a report.',
      version: '1',
      tools: ['read_notes', 'send_mail', 'ask_form'],
      maxTurns: 3,
      producesArtifactType: 'report',
    })
  },
})

/** What the model does next, by how many results it has. */
const STEPS: readonly Reply[] = [
  reply.toolCalls({ name: 'read_notes', arguments: { month: 'May' } }),
  reply.toolCalls({ name: 'ask_user', arguments: { question: 'Which tone?' } }),
  reply.toolCalls({ name: 'send_mail', arguments: MAIL }),
  reply.toolCalls({
    name: 'artifacts_create',
    arguments: {
      type: 'report',
      title: 'Pumps in May',
      content_markdown: REPORT,
      content_json: { pump: 3, failures: 2 },
      tags: ['pumps'],
      citations: [
        { quote: QUOTE, tool: 'read_notes', statement: 'Pump 3 failed twice.' },
        { quote: KNOWN, document: 'baselines', url: 'javascript:alert(1)' },
      ],
    },
  }),
]
const FORM = {
  type: 'object',
  properties: {
    copies: { type: 'integer', minimum: 1, maximum: 9, title: 'Copies' },
    paper: { type: 'string', enum: ['plain', 'glossy'] },
    code: { type: 'string', pattern: '^[a-z]+$', description: 'Lower case' },
    both_sides: { type: 'boolean' },
  },
  required: ['copies', 'code'],
  additionalProperties: false,
}

function script({ messages, tool_choice: choice }: ChatCompletionRequest): Reply {
  const results = messages.filter(({ role }) => role === 'tool').length
  const task = messages.map(contentText).join('\n')
  if (task.includes('Take your time')) return reply.silence()
  if (task.includes('Print it'))
    return results === 0
      ? reply.toolCalls({
          name: 'ask_form',
          arguments: { message: 'How?', schema: FORM },
        })
      : reply.text('Printed.')
  if (choice === 'none') return reply.text('That is all.')
  return STEPS[results] ?? reply.text('The report on **pump 3** is written.')
}

/** Nothing of what is shown is cut off or hard to use, in light and in dark. */
const check = async (page: Page, name: string): Promise<void> => {
  const shots = process.env['AMODAL_SHOTS']
  const { width } = page.viewportSize() ?? { width: 0 }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if (shots !== undefined)
      await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}.png` })
    expect(await violationsIn(page), `${name}, ${colorScheme}`).toEqual([])
  }
  const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
  expect(isTooWide, `${name} is wider than the screen`).toBe(false)
}

/** What the browser does when the person changes to another tab, and back. */
const show = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate((visibilityState) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      value: visibilityState,
    })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

describe.skipIf(found === undefined)('runs in the studio', () => {
  let studio: Studio
  beforeAll(async () => {
    studio = await Studio.open({ script, entries: [use(reporting)] })
  }, 90_000)
  afterAll(() => studio.close())

  const start = async (page: Page, task: string): Promise<void> => {
    await page.goto(`${studio.url}/#/runs`)
    await page.getByRole('button', { name: 'Start a run' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Start a run' })
    await dialog.getByLabel('Profile').selectOption('Reporter')
    await dialog.getByLabel('Task', { exact: true }).fill(task)
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('heading', { name: task }).waitFor()
  }

  test('one is started, followed, answered, continued, and its source is read', async () => {
    const { page, context } = await studio.visit('desktop')
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByText('No run was started yet.').waitFor()
    await check(page, 'empty')

    await page.getByRole('button', { name: 'Start a run' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Start a run' })
    await dialog.getByLabel('Profile').selectOption('Reporter')
    await dialog.getByText('at most 3 turns').waitFor()
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await dialog.getByRole('alert').filter({ hasText: 'Say what is to be done.' }).waitFor()
    await dialog.getByLabel('Task', { exact: true }).fill('Write the report on the pumps')
    await dialog.getByLabel('Parameters').fill('short')
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await dialog.getByRole('alert').filter({ hasText: 'no JSON object' }).waitFor()
    await check(page, 'start')
    await dialog.getByLabel('Parameters').fill('{"length": "short"}')
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()

    await page.getByRole('heading', { name: 'Write the report on the pumps' }).waitFor()
    expect(page.url()).toMatch(/#\/runs\/sess_/)
    const progress = page.getByRole('region', { name: 'Progress' })
    await progress.getByText('read_notes').waitFor()
    await page.getByRole('heading', { name: 'Which tone?' }).waitFor()
    await page.getByRole('status').filter({ hasText: 'Waits for you' }).waitFor()
    await page.getByRole('textbox', { name: 'Which tone?' }).fill('x'.repeat(10_001))
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('alert').filter({ hasText: 'at most 10000 characters' }).waitFor()
    await page.getByRole('textbox', { name: 'Which tone?' }).fill('Plain')
    await check(page, 'question')
    await page.getByRole('button', { name: 'Answer' }).click()

    await page.getByText(MAIL.to, { exact: true }).waitFor()
    await check(page, 'approval')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()

    const turns = page.getByLabel('Additional turns')
    await turns.waitFor()
    await turns.fill('99')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').filter({ hasText: 'must be from 1 to 50' }).waitFor()
    expect(await turns.getAttribute('aria-invalid')).toBe('true')
    await check(page, 'limit')
    await turns.fill('5')
    await page.getByRole('button', { name: 'Continue' }).click()

    const result = page.getByRole('region', { name: 'Result' })
    await result.locator('strong', { hasText: 'pump 3' }).waitFor()
    const artifacts = page.getByRole('region', { name: 'Artifacts' })
    await artifacts.getByRole('cell', { name: '3' }).waitFor()
    expect(await artifacts.locator('b').count()).toBe(0) // no HTML of a model
    await artifacts.getByText('"failures": 2').waitFor()
    // each once, although the stream was opened again three times
    for (const turn of ['Turn 1', 'Turn 3', 'Turn 5'])
      expect(await progress.getByText(turn).count()).toBe(1)
    await check(page, 'complete')

    await artifacts.getByText('javascript:alert(1)').waitFor() // a text, and no link
    expect(await artifacts.locator('a[href^=javascript]').count()).toBe(0)
    await artifacts.getByRole('button', { name: 'Open the source 2' }).click()
    const document = page.getByRole('dialog', { name: 'Knowledge: baselines' })
    await document.locator('mark', { hasText: KNOWN }).waitFor()
    await page.keyboard.press('Escape')
    await document.waitFor({ state: 'hidden' })
    await page.waitForURL(({ hash }) => !hash.includes('citation='))

    await artifacts.getByRole('button', { name: 'Open the source 1' }).click()
    const source = page.getByRole('dialog', { name: 'Result of read_notes' })
    await source.locator('mark', { hasText: QUOTE }).waitFor()
    expect(page.url()).toMatch(/citation=1/)
    await check(page, 'source')
    await page.reload() // its address leads back to it
    await source.locator('mark', { hasText: QUOTE }).waitFor()
    await source.getByRole('link', { name: 'Open in the trace' }).click()
    await page
      .getByRole('complementary', { name: /read_notes/ })
      .getByText(QUOTE)
      .waitFor()
    expect(page.url()).toMatch(/#\/sessions\/sess_/)

    await page.goBack()
    await page.goBack()
    await page.goto(`${studio.url}/#/runs?status=complete`)
    const row = page.getByRole('row').filter({ hasText: 'Write the report' })
    await row.getByText('Complete').waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual(
      expect.arrayContaining(['reporter', 'you', '5']),
    )
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.getByText('No run stands there.').waitFor()
    await context.close()
  })

  test('one that works is canceled with a reason', async () => {
    const { page, context } = await studio.visit('desktop')
    await start(page, 'Take your time')
    await page.getByRole('status').filter({ hasText: 'Running' }).waitFor()

    // a hidden page leaves the connection to others, and opens it once it is seen
    const isStream = (request: { url(): string }): boolean => request.url().endsWith('/stream')
    const closed = page.waitForEvent('requestfailed', isStream)
    await show(page, 'hidden')
    await closed
    await page.locator('.run-title').getByText('Live', { exact: true }).waitFor({ state: 'hidden' })
    const opened = page.waitForRequest(isStream)
    await show(page, 'visible')
    await opened
    await page.locator('.run-title').getByText('Live', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('No longer needed')
    await check(page, 'cancel')
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await page.getByText('It was canceled. No longer needed').waitFor()
    expect(await page.getByRole('button', { name: 'Cancel…' }).count()).toBe(0)
    await context.close()
  })

  test('a form is filled in on a phone, and what does not fit stands at its field', async () => {
    const { page, context } = await studio.visit('phone')
    await start(page, 'Print it')
    await page.getByRole('heading', { name: 'How?' }).waitFor()
    await page.getByRole('button', { name: 'Answer' }).click()
    const copies = page.getByLabel('Copies')
    await copies.and(page.locator('[aria-invalid=true]')).waitFor()
    await copies.fill('12')
    await page.getByLabel('Paper').selectOption('glossy')
    const code = page.getByLabel('Code')
    await code.fill('ABC')
    await page.getByLabel('Both sides').check()
    await page.getByRole('button', { name: 'Answer' }).click()
    await copies.and(page.locator('[aria-invalid=true]')).waitFor()
    await check(page, 'form')
    await copies.fill('2')
    await page.getByRole('button', { name: 'Answer' }).click()
    await code.and(page.locator('[aria-invalid=true]')).waitFor()
    await code.fill('abc')
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('Printed.').first().waitFor()
    const sent = studio.model.requests.map(({ body }) => JSON.stringify(body.messages)).at(-1)
    expect(sent).toMatch(/copies.{1,8}2.*both_sides.{1,8}true/)

    for (const name of ['Write the report on the pumps', 'Take your time']) {
      await page.goto(`${studio.url}/#/runs`)
      await page.getByRole('link', { name }).waitFor()
      await check(page, 'list')
      await page.getByRole('link', { name }).click()
      await page.getByRole('heading', { name: 'Progress' }).waitFor()
      await page.getByText('Complete').or(page.getByText('It was canceled')).first().waitFor()
      await check(page, name.includes('report') ? 'complete' : 'canceled')
    }
    await context.close()
  })

  test('one that does not exist is an error', async () => {
    const { page, context } = await studio.visit('desktop')
    await page.goto(`${studio.url}/#/runs/sess_none`)
    await page.getByRole('alert').filter({ hasText: 'there is no such session' }).waitFor()
    await context.close()
  })
})
