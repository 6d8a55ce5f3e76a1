import { reply, type ChatCompletionRequest, type Reply } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsIn } from './axe.ts'
import { findBrowser } from './browser.ts'
import { Studio, type Size } from './studio-page.ts'

const found = await findBrowser()

/** Every place, by its address, and what it shows once it is there. */
const PLACES: readonly (readonly [address: string, heading: string])[] = [
  ['#/inbox', 'Inbox'],
  ['#/sessions', 'Sessions'],
  ['#/stores', 'Stores'],
  ['#/stores/incidents', 'Incidents'],
  ['#/more/automations', 'Automations'],
  ['#/more/evals', 'Evals'],
  ['#/runs', 'Runs'],
  ['#/configure', 'Configure the agent'],
  ['#/context', 'Context'],
  ['#/skills', 'Skills'],
  ['#/skills/Incident%20Triage', 'Incident Triage'],
  ['#/knowledge', 'Knowledge'],
  ['#/knowledge/baselines', 'Baselines'],
  ['#/connections', 'Connections'],
  ['#/connections/books', 'Try an operation'],
  ['#/access', 'Access'],
  ['#/plugins', 'Plugins'],
  ['#/usage', 'Usage'],
  ['#/system', 'Health'],
  ['#/activity', 'Activity'],
  ['#/audit', 'Audit'],
  ['#/queue', 'Queue'],
  ['#/logs', 'Logs'],
]

function script({ messages }: ChatCompletionRequest): Reply {
  return messages.at(-1)?.role === 'user'
    ? reply.toolCalls({ name: 'query_store', arguments: { store: 'incidents' } })
    : reply.text('Two of them:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst one = 1\n```')
}

describe.skipIf(found === undefined)('the studio for everybody', () => {
  let studio: Studio
  beforeAll(async () => {
    studio = await Studio.open({
      script,
      entries: [],
      files: { 'connections/books/spec.json': { baseUrl: 'https://books.example/v1' } },
    })
  }, 90_000)
  afterAll(() => studio.close())

  test.each([
    ['desktop', 'light'],
    ['phone', 'dark'],
  ] as const)('no place has a violation on a %s, %s', async (size: Size, colorScheme) => {
    const { context, page } = await studio.visit(size)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.getByLabel('Message', { exact: true }).fill('Which incidents are there?')
    await page.keyboard.press('Enter')
    await page.getByText('Two of them').waitFor()
    await page.waitForSelector('[role=log][data-state=idle] .end')
    const wrong: Record<string, readonly string[]> = { chat: await violationsIn(page) }
    const session = await page.evaluate(() => location.hash.split('/').at(-1) ?? '')
    for (const [address, heading] of PLACES) {
      await page.goto(`${studio.url}/${address}`)
      await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
      wrong[address] = await violationsIn(page)
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${address} is wider than the screen`,
      ).toBe(true)
    }
    await page.goto(`${studio.url}/#/sessions/${session}`)
    await page.getByRole('treeitem').first().waitFor()
    wrong['trace'] = await violationsIn(page)
    await page.goto(`${studio.url}/#/runs`)
    await page.getByRole('button', { name: 'Start a run' }).first().click()
    await page.getByRole('dialog').getByLabel('Task', { exact: true }).fill('List the incidents')
    wrong['start a run'] = await violationsIn(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('region', { name: 'Result' }).getByText('Two of them').waitFor()
    wrong['run'] = await violationsIn(page)
    expect(Object.entries(wrong).filter(([, found]) => found.length > 0)).toEqual([])
    await context.close()
  })
})
