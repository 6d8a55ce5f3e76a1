import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()
const FILES = {
  'connections/books/spec.json': { baseUrl: 'https://books.example/v1' },
  'connections/books/access.json': {
    endpoints: { 'GET /invoices': 'allow', 'POST /refunds': 'confirm' },
  },
  'roles/accountant.json': { tools: ['request'], skills: [], connections: ['books'] },
  'roles/manager.json': { tools: ['*'], skills: ['*'], connections: ['*'] },
}

function script({ messages }: ChatCompletionRequest): Reply {
  return messages.at(-1)?.role === 'user'
    ? reply.toolCalls({ name: 'query_store', arguments: { store: 'incidents' } })
    : reply.text('There are some.')
}

describe.skipIf(found === undefined)('what the studio says of the agent and of a run', () => {
  let studio: Studio
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    studio = await Studio.open({ script, entries: [], files: FILES })
  }, 90_000)
  afterAll(() => studio.close())
  beforeEach(async () => {
    ;({ page, context } = await studio.visit('desktop'))
  })
  afterEach(() => context.close())

  test('what a role may do is two clicks away', async () => {
    await page.getByRole('link', { name: 'Agent', exact: true }).click()
    await page.getByRole('link', { name: 'Access' }).click()
    const row = page.getByRole('row', { name: /POST \/refunds/ })
    await row.waitFor()
    const columns = await page.getByRole('columnheader').allTextContents()
    expect(columns).toEqual([
      'May they…',
      'role accountant',
      'role manager',
      'people without a role',
    ])
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      'after approval',
      'after approval',
      'no',
    ])
    await page.getByRole('combobox', { name: 'Role' }).selectOption('role accountant')
    await page.getByRole('columnheader', { name: 'role manager' }).waitFor({ state: 'detached' })
    await page.reload() // its address has what is picked
    await page.getByRole('searchbox').fill('invoices')
    expect(await page.getByRole('columnheader').allTextContents()).toHaveLength(2)
    await page.getByRole('row', { name: /GET \/invoices/ }).waitFor()
  })

  test('a file is edited where the agent still loads with it, and refused with its line', async () => {
    await page.getByRole('link', { name: 'Agent', exact: true }).click()
    await page.getByRole('tab', { name: 'Files' }).click()
    await page.locator('[data-path="connections/books/access.json"]').click()
    const path = join(studio.dir, 'connections/books/access.json')
    const before = await readFile(path, 'utf8')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const editor = page.getByRole('textbox', { name: /^Text of/ })
    await editor.fill('{ "endpoints": { "GET /invoices": "perhaps" } }')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'access.json' }).waitFor()
    expect(await readFile(path, 'utf8')).toBe(before)
    await editor.fill('{ "endpoints": { "GET /invoices": "confirm" } }')
    await editor.press('Control+s')
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
    expect(await readFile(path, 'utf8')).toContain('"confirm"')
  })

  test('a run is gone through step by step, and becomes a case of an eval', async () => {
    await page.getByLabel('Message', { exact: true }).fill('Which incidents are there?')
    await page.keyboard.press('Enter')
    await page.getByText('There are some.').waitFor()
    await page.getByRole('link', { name: 'Trace' }).click()
    await page
      .getByRole('treeitem', { name: /query_store/ })
      .first()
      .waitFor()
    await page.getByRole('treeitem', { name: /There are some/ }).click()
    await page.getByText('What was sent').waitFor()
    const address = page.url()
    await page.reload()
    await page.getByText('What was sent').waitFor() // copying the address copies the view
    expect(page.url()).toBe(address)
    await page.getByRole('button', { name: 'Make this an eval' }).last().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/evals\/.*\.yaml/).waitFor()
    expect(await dialog.locator('pre').textContent()).toContain('Which incidents are there?')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Replay' }).last().click()
    await dialog.getByText('The replay came to the same journal.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Conversation' }).click()
    await page.getByText('There are some.').waitFor()
  })
})
