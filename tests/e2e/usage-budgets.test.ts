/** Budgets: somebody is told once at each share, and the list says what is spent. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { Agent, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'
import { findBrowser } from './browser.ts'
import { Studio } from './studio-page.ts'

interface Receiver {
  readonly url: string
  readonly notices: JsonObject[]
}

async function receiver(): Promise<Receiver> {
  const notices: JsonObject[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      notices.push({ ...(JSON.parse(body) as JsonObject), id: request.headers['webhook-id'] ?? '' })
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, notices }
}

/** A million tokens cost 3 dollars; a reply takes 100 tokens of input and one of output. */
const PRICES = { 'openai-compatible/scripted': { input: 3, output: 3 } }
const TURN = 303e-6

const usageOf = (dollars: number) => ({
  budgets: [
    { name: 'all', dollars, per: 'day' },
    { name: 'other', dollars, agent: 'nobody' },
  ],
})

const listed = async (door: Door): Promise<readonly JsonObject[]> => {
  const {
    status,
    text: answer,
    body,
  } = await door.get('/api/usage/budgets', {
    authorization: `Bearer ${door.token}`,
  })
  expect(status, answer).toBe(200)
  return body['budgets'] as readonly JsonObject[]
}

test('each share is told once, also over a restart', async () => {
  const { url, notices } = await receiver()
  const door = await openDoor({
    files: { 'prices.json': PRICES },
    manifest: { usage: usageOf(TURN * 4), notify: { url } },
    script: reply.text('done'),
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  await door.say('one')
  expect(await listed(door)).toMatchObject([
    { name: 'all', percent: expect.closeTo(25, 1) as number, alerts: [] },
    { name: 'other', spent: 0, percent: 0 },
  ])
  await door.say('two')
  await expect.poll(() => notices.length).toBe(1)
  expect(notices[0]).toMatchObject({
    type: 'usage.budget',
    message: expect.stringContaining('50 % of the budget "all" is spent') as string,
    tenant: 'local',
    data: { budget: 'all', per: 'day', percent: 50, spent_percent: 50, of: {} },
  })
  await door.restart()
  await door.say('three')
  await expect
    .poll(async () => (await listed(door))[0])
    .toMatchObject({ percent: expect.closeTo(75, 1) as number })
  await door.say('four')
  await expect.poll(() => notices.length).toBe(2)
  await door.say('five')
  await expect
    .poll(async () => (await listed(door))[0])
    .toMatchObject({
      percent: expect.closeTo(125, 1) as number,
      alerts: [{ percent: 50 }, { percent: 100 }],
    })
  await door.restart()
  await door.say('six')
  await expect
    .poll(async () => (await listed(door))[0])
    .toMatchObject({ percent: expect.closeTo(150, 1) as number })
  expect(notices.map(({ data }) => (data as JsonObject)['percent'])).toEqual([50, 100])
})

test('what is wrong with a budget is named with its line', async () => {
  const door = await openDoor({
    manifest: {
      usage: {
        budgets: [
          { name: 'Not a name', dollars: 5 },
          { name: 'free', dollars: 0 },
          { name: 'twice', dollars: 1 },
        ],
      },
    },
    script: reply.text('done'),
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  const issues = door.running.kernel.scope.get(Agent).bundle()?.issues ?? []
  const named = issues.filter(({ message }) => message.includes('usage.budgets'))
  expect(named.map(({ file, message }) => [file, message.split('`')[1]])).toEqual([
    ['amodal.json', 'usage.budgets[0].name'],
    ['amodal.json', 'usage.budgets[1].dollars'],
  ])
  expect(named.every(({ line = 0 }) => line > 9)).toBe(true)
})

const found = await findBrowser()
const shots = process.env['AMODAL_SHOTS']

test.skipIf(found === undefined)('the studio shows what is spent of each budget', async () => {
  const studio = await Studio.open({
    script: reply.text('Hello.'),
    entries: [],
    files: { 'prices.json': PRICES },
    manifest: { usage: usageOf(TURN * 1.1) },
  })
  onTestFinished(() => studio.close())
  const { page } = await studio.visit('desktop')
  await page.getByRole('textbox').first().fill('Hello')
  await page.keyboard.press('Enter')
  await page.getByText('Hello.').last().waitFor()
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByLabel(/^all: \d+ %$/).waitFor()
  await page.getByText('per month').waitFor()
  if (shots !== undefined) await page.screenshot({ path: `${shots}/budgets.png` })
})
