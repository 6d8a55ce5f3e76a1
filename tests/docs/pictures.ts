/**
 * Renders the two pictures of the studio in the README: `node --conditions=@amodal/source
 * tests/docs/pictures.ts [FOLDER]`. The example agent `guarded-crm` beside its CRM, a scripted
 * model, a real browser.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { readLocalToken } from '@amodal/sdk/files'
import { reply, startModelServer, type ChatCompletionRequest } from '@amodal/sdk/testing'
import type { Page } from 'playwright-core'
import { startCrm } from '../../examples/guarded-crm/src/crm.ts'
import { findBrowser, openBrowser } from '../e2e/browser.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/guarded-crm/agent')
const VIEWPORT = { width: 1280, height: 800 }
const TOKEN = 'token-of-the-example'

const crmCall = (method: string, endpoint: string, data?: Record<string, string | number>) => ({
  name: 'request',
  arguments: {
    connection: 'crm',
    method,
    endpoint,
    intent: method === 'GET' ? 'read' : 'write',
    ...(data && { data }),
  },
})

/** Looks for the customer, writes a note, and pays money back. */
function script({ messages }: ChatCompletionRequest) {
  switch (messages.filter(({ role }) => role === 'tool').length) {
    case 0:
      return reply.toolCalls([crmCall('GET', '/customers/c1')])
    case 1:
      return reply.toolCalls([
        crmCall('POST', '/customers/c1/notes', { text: 'Order 4711 arrived broken.' }),
      ])
    case 2:
      return reply.toolCalls([
        crmCall('POST', '/customers/c1/refunds', { amount: 40, reason: 'Order 4711 broken' }),
      ])
    default:
      return reply.text(
        'Done. **Blue Harbor Coffee** (plan *gold*) gets 40 back for order 4711.\n\n' +
          '| Step | Result |\n|---|---|\n| Note on the customer | written |\n' +
          '| Refund | paid, approved by you |\n',
      )
  }
}

async function renderPictures(page: Page, folder: string): Promise<void> {
  await page
    .getByRole('textbox', { name: 'Message' })
    .fill('Customer c1 says that order 4711 arrived broken. Pay 40 back.')
  await page.keyboard.press('Enter')
  const approve = page.getByRole('button', { name: 'Approve', exact: true })
  await approve.click() // the note
  await page.getByText('data.amount').waitFor()
  await page.screenshot({ path: join(folder, 'studio-approval.png'), animations: 'disabled' })
  await approve.click() // the refund
  await page.getByText('gets 40 back').waitFor()
  const session = /#\/chat\/(.+)$/.exec(page.url())?.[1] ?? ''
  await page.goto(new URL(`#/sessions/${session}`, page.url()).href)
  await page.getByRole('treeitem').nth(7).click()
  await page.getByRole('button', { name: 'Waterfall', exact: true }).click()
  await page.screenshot({ path: join(folder, 'studio-trace.png'), animations: 'disabled' })
}

const [, , folder = join(import.meta.dirname, '../../docs/pictures')] = process.argv
await mkdir(folder, { recursive: true })
const browserPath = await findBrowser()
if (!browserPath) throw new Error('no Chromium was found: install one, or name it in CHROMIUM')
const dir = await mkdtemp(join(tmpdir(), 'amodal-pictures-'))
await cp(EXAMPLE, dir, { recursive: true, filter: (path) => !path.endsWith('.amodal') })
const [crm, model] = await Promise.all([startCrm(TOKEN), startModelServer({ script })])
const started = await startFolder({
  dir,
  preset: 'dev',
  port: 0,
  logLevel: 'error',
  env: {
    CRM_URL: crm.url,
    CRM_TOKEN: TOKEN,
    AMODAL_BASE_URL: model.url,
    AMODAL_MODEL: 'scripted-model',
  },
})
if (!started.ok) throw new Error(explainStart(started.error))
const browser = await openBrowser(browserPath)
try {
  const address = started.value.kernel.scope.get(HttpApp).address()
  const page = await browser.newPage({ viewport: VIEWPORT })
  await page.goto(`http://127.0.0.1:${address?.port}/#token=${readLocalToken(dir) ?? ''}`)
  await renderPictures(page, folder)
} finally {
  await browser.close()
  await started.value.close('done')
  await Promise.all([crm.close(), model.close()])
  await rm(dir, { recursive: true, force: true })
}
