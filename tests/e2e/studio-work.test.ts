/** What works without a person, in the studio: automations and agent runs. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import { readLocalToken } from '@amodal/sdk/files'
import { contentText, reply, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
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

const post = (studio: Studio, path: string, body: object) =>
  fetch(`${studio.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${readLocalToken(studio.dir) ?? ''}`,
    },
    body: JSON.stringify(body),
  })

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

  test('shows runs, and cancels one', async () => {
    const script = ({ messages }: ChatCompletionRequest) =>
      messages.some((message) => contentText(message).includes('Take your time'))
        ? reply.silence()
        : reply.text('It is done.')
    const studio = await Studio.open({ script, entries: [] })
    onTestFinished(() => studio.close())
    const { page } = await studio.visit('desktop')
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByText('No run was started yet').waitFor()
    for (const task of ['Be quick', 'Take your time'])
      expect(
        (await post(studio, '/api/platform/v1/agents/run', { profile_id: 'agent', task })).status,
      ).toBe(202)
    const quick = page.getByRole('row').filter({ hasText: 'Be quick' })
    const slow = page.getByRole('row').filter({ hasText: 'Take your time' })
    await quick.getByText('complete').waitFor()
    await slow.getByText('running').waitFor()

    await slow.getByRole('button', { name: 'Cancel' }).click()
    await slow.getByRole('group', { name: 'Cancel this run?' }).waitFor()
    await slow.getByRole('button', { name: 'Cancel' }).click()
    await slow.getByText('canceled').waitFor()

    await quick.getByRole('link', { name: 'Be quick' }).click()
    await page.getByText('It is done.').waitFor()
  })
})
