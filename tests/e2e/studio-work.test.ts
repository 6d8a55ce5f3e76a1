/** What works without a person, in the studio: automations. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import { reply } from '@amodal/sdk/testing'
import { describe, onTestFinished, test } from 'vitest'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

const found = await findBrowser()

/** A target that says no until it is told to take what comes. */
async function target() {
  const answer = { status: 400 }
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(answer.status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}/`, answer }
}

describe.skipIf(found === undefined)('the studio', () => {
  test('shows automations, and runs, pauses and redrives them', async () => {
    const { url, answer } = await target()
    const studio = await Studio.open({
      script: reply.text('All **quiet** tonight.'),
      entries: [],
      files: {
        'automations/digest.json': {
          title: 'Night digest',
          schedule: '0 7 * * *',
          timezone: 'Europe/Berlin',
          prompt: 'Sum up the night.',
          delivery: { targets: [{ type: 'webhook', url }] },
        },
      },
    })
    onTestFinished(() => studio.close())
    const { page } = await studio.visit('desktop')
    await page.getByRole('link', { name: 'Automations' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Night digest' }).first()
    await row.getByText('0 7 * * * (Europe/Berlin)').waitFor()
    await row.getByText('active').waitFor()

    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('paused').waitFor()
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByText('active').waitFor()

    await row.getByRole('button', { name: 'Run now' }).click()
    await row.getByText('completed').waitFor()
    await page.getByRole('heading', { name: 'Dead deliveries' }).waitFor()

    await row.getByRole('link', { name: 'Night digest' }).click()
    await page.getByRole('heading', { name: 'Night digest' }).waitFor()
    await page.reload() // its address leads back to it
    await page.getByRole('cell', { name: '1 dead' }).waitFor()
    const runs = page.getByRole('region', { name: 'Night digest' })
    await runs.getByText('All **quiet** tonight.').waitFor() // as it is: no Markdown of a model

    answer.status = 204
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByRole('cell', { name: '1 delivered' }).waitFor()

    await runs.getByRole('link', { name: 'open' }).click()
    await page.getByText('Sum up the night.').waitFor()
    await page.getByText('tonight.').waitFor()
  })
})
