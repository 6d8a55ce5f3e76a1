import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from '@amodal/sdk'
import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApi, type ApiServer } from '../security/support/api-server.ts'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()
const API = {
  openapi: '3.1.0',
  info: { title: 'Books', version: '1' },
  paths: {
    '/invoices/{id}': {
      get: {
        summary: 'One invoice',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'currency', in: 'query', schema: { type: 'string' } },
        ],
        responses: {},
      },
      delete: { summary: 'Removes it', responses: {} },
    },
    '/refunds': {
      post: {
        summary: 'Pays money back',
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { amount: { type: 'number' } } },
            },
          },
        },
        responses: {},
      },
    },
  },
}
const PROPOSAL = {
  name: 'checkout',
  title: 'Checkout',
  body: 'The checkout is restarted on Mondays.',
  reasoning: 'It was seen three times.',
}

function script({ messages }: ChatCompletionRequest): Reply {
  return messages.at(-1)?.role === 'user'
    ? reply.toolCalls({ name: 'propose_knowledge', arguments: PROPOSAL })
    : reply.text('It is known now.')
}

describe.skipIf(found === undefined)('the parts of an agent in the studio', () => {
  let api: ApiServer
  let studio: Studio
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    api = await startApi(({ method, url }) => ({ body: { did: `${method} ${url}` } as Json }))
    studio = await Studio.open({
      script,
      entries: [],
      files: {
        'connections/books/spec.json': { baseUrl: api.url, format: 'openapi' },
        'connections/books/openapi.json': API,
        'connections/books/access.json': {
          endpoints: {
            'GET /invoices/{id}': 'allow',
            'DELETE /invoices/{id}': 'never',
            'POST /refunds': { confirm: true, reason: 'Money leaves.' },
          },
        },
      },
    })
  }, 90_000)
  afterAll(async () => {
    await studio.close()
    await api[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    ;({ page, context } = await studio.visit('desktop'))
    page.setDefaultTimeout(20_000)
  })
  afterEach(() => context.close())

  const open = async (address: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).waitFor() // the token of the link is stored
    await page.goto(`${studio.url}/${address}`)
  }

  test('an operation is tried by its parameters, and shows what the model would have', async () => {
    await open('#/connections/books')
    await page.getByRole('button', { name: 'Try: GET /invoices/{id}' }).click()
    const form = page.getByRole('region', { name: 'Try an operation' })
    await form.getByLabel(/^id/).fill('A 7')
    await form.getByLabel(/^currency/).fill('EUR')
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByText('done', { exact: true }).waitFor()
    await form.getByLabel('Result').getByText('GET /invoices/A%207?currency=EUR').waitFor()
    await form.getByText(/\d ms|\d s/).waitFor()
    await form.getByRole('link', { name: 'Open as a session' }).click()
    await page
      .getByRole('treeitem', { name: /request/ })
      .first()
      .waitFor()
  })

  test('a refused one says so, and an effect is approved where it stands', async () => {
    await open('#/connections/books')
    await page.getByRole('button', { name: 'Try: DELETE /invoices/{id}' }).click()
    const form = page.getByRole('region', { name: 'Try an operation' })
    await form.getByLabel(/^id/).fill('7')
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByText('TOOL_DENIED').waitFor()
    await page.getByRole('button', { name: 'Try: POST /refunds' }).click()
    await form.getByLabel('Body').fill('{ "amount": 20 }')
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByText('Money leaves.').waitFor()
    expect(api.lines).not.toContain('POST /refunds')
    await form
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click()
    await form.getByLabel('Result').getByText('POST /refunds').waitFor()
    expect(api.lines.filter((line) => line === 'POST /refunds')).toHaveLength(1)
    expect(api.came.at(-1)?.body).toBe('{"amount":20}')
    await form.getByLabel('Query parameters').fill('[1]')
    await form.getByRole('button', { name: 'Run' }).click()
    await form.getByRole('alert').filter({ hasText: 'a JSON object is needed' }).waitFor()
  })

  test('skills and documents are read, and lead to their file in the editor', async () => {
    await open('#/skills')
    await page
      .getByRole('link', { name: /Incident/i })
      .first()
      .click()
    await page.getByText('When it is used').waitFor()
    await page.getByText('skills/incident-triage/SKILL.md').first().waitFor()
    await page.getByRole('link', { name: 'Open in the editor' }).click()
    await page.getByRole('heading', { name: 'skills/incident-triage/SKILL.md' }).waitFor()
    await page.goto(`${studio.url}/#/knowledge/baselines`)
    await page.getByText('knowledge/baselines.md').first().waitFor()
    await page.getByText('in every prompt').first().waitFor()
  })

  test('a proposed document counts in the inbox, is compared, and becomes a file', async () => {
    await page.getByLabel('Message', { exact: true }).fill('Remember the checkout')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /Needs a review|Needs your approval/ }).waitFor()
    await page.goto(`${studio.url}/#/inbox`)
    await page
      .getByRole('link', { name: /Remember the checkout needs an answer/ })
      .first()
      .waitFor()
    await page.goto(`${studio.url}/#/knowledge`)
    const proposals = page.getByRole('region', { name: /Proposed by the agent/ })
    await proposals.getByRole('region', { name: 'Changes of checkout' }).waitFor()
    const file = join(studio.dir, 'knowledge/checkout.md')
    await expect(access(file)).rejects.toThrow()
    const approve = proposals.getByRole('button', { name: /^Approve/ }).first()
    await approve.scrollIntoViewIfNeeded() // all of it has to be in view before
    await approve.click()
    await page
      .getByRole('link', { name: /knowledge\/checkout\.md/ })
      .first()
      .waitFor()
    expect(await readFile(file, 'utf8')).toContain('restarted on Mondays')
    await proposals.waitFor({ state: 'detached' })
  })

  test('plugins are found, zoomed and chosen, by mouse and by keyboard', async () => {
    const blocked: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) blocked.push(message.text())
    })
    await open('#/plugins')
    const graph = page.getByRole('group', { name: 'Plugins and what they need' })
    const node = graph.locator('.react-flow__node', { hasText: /^loop$/ })
    await node.waitFor()
    const viewport = graph.locator('.react-flow__viewport')
    const fitted = await viewport.getAttribute('style')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => viewport.getAttribute('style')).not.toBe(fitted)
    await page.getByRole('button', { name: 'Fit' }).click()
    await expect.poll(() => viewport.getAttribute('style')).toBe(fitted)
    await node.click()
    await page.getByRole('heading', { name: /^loop/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Search plugins' }).fill('rights')
    await graph.locator('.plugin-node.found', { hasText: /^rights$/ }).waitFor()
    await page.getByRole('button', { name: 'rights', exact: true }).press('Enter')
    await page.getByRole('heading', { name: /^rights/ }).waitFor()
    expect(blocked).toEqual([])
  })
})
