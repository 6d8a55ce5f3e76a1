import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reply, type Script } from '@amodal/sdk/testing'
import type { Locator, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'
import { findBrowser, openBrowser } from './browser.ts'

const found = await findBrowser()

const INSTRUCTIONS = '# Bakery\n\nYou answer the guests of a bakery. Never promise a price.\n'
const SKILL =
  '---\nname: opening-hours\ndescription: When the bakery is open\n---\n\nTuesday to Sunday, 7 to 18.\n'
const EVAL =
  'name: greeting\ncases:\n  - name: good-morning\n    input: Good morning\n    assert:\n      - contains: Welcome\n'
const SPEC = {
  baseUrl: 'https://orders.example',
  auth: { type: 'bearer', token: 'env:ORDERS_TOKEN' },
}

interface Writing {
  readonly path: string
  readonly content: string
}
/** What is proposed, by a word of the message. */
const WRITES: Readonly<Record<string, readonly Writing[]>> = {
  bakery: [
    { path: 'agents/main/AGENT.md', content: INSTRUCTIONS },
    { path: 'skills/opening-hours/SKILL.md', content: SKILL },
    { path: 'evals/greeting.yaml', content: EVAL },
  ],
  orders: [
    { path: 'connections/orders/spec.json', content: `${JSON.stringify(SPEC, null, 2)}\n` },
    { path: 'connections/orders/access.json', content: '{ "endpoints": {} }\n' },
  ],
}

/** The admin agent writes one file a step; the agent says what its instructions are. */
const script: Script = ({ messages }) => {
  const prompt = JSON.stringify(messages[0]?.content)
  if (!prompt.includes('You help a person build and change'))
    return reply.text(prompt.includes('guests of a bakery') ? 'Welcome, guest.' : 'No idea.')
  const begun = messages.findLastIndex(({ role }) => role === 'user')
  const message = JSON.stringify(messages[begun]?.content)
  const [word = '', files = []] =
    Object.entries(WRITES).find(([name]) => message.includes(name)) ?? []
  const file = files[messages.slice(begun + 1).filter(({ role }) => role === 'tool').length]
  return file
    ? reply.toolCalls([{ name: 'write_repo_file', arguments: { ...file } }])
    : reply.text(`I propose files for: ${word}.`)
}

test.skipIf(found === undefined)(
  'a new user describes an agent, accepts its files, and talks to it',
  async () => {
    if (!found) return
    const [door, browser] = await Promise.all([openDoor({ script }), openBrowser(found)])
    onTestFinished(async () => {
      await browser.close()
      await door[Symbol.asyncDispose]()
    })
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`${door.url}/#token=${door.token}`)
    // The address that people know leads to the view.
    const redirect = await fetch(`${door.url}/config`, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${door.token}` },
    })
    expect(redirect.headers.get('location')).toBe('/#/configure')
    await page.getByRole('link', { name: 'Agent', exact: true }).click()
    await page.getByRole('heading', { name: 'Configure the agent' }).waitFor()
    await shoot(page, 'empty')
    await describeAgent(page, door)
    await undoOnPhone(page, door)
    await setSecret(page, door)
    await openEarlier(page)
  },
)

async function describeAgent(page: Page, door: Door): Promise<void> {
  await say(page, 'It answers the guests of a bakery.')
  const instructions = fileOf(page, 'agents/main/AGENT.md')
  await instructions.getByText('Never promise a price.').waitFor()
  const skill = fileOf(page, 'skills/opening-hours/SKILL.md')
  await skill.getByText('Tuesday to Sunday, 7 to 18.').waitFor()
  await page.getByText('I propose files for: bakery.').waitFor()
  const session = /#\/configure\/(.+)$/.exec(page.url())?.[1]
  expect(session).toBeDefined()
  expect(existsSync(join(door.dir, 'agents/main/AGENT.md'))).toBe(false)

  // What decides over rights is never ticked for a person.
  expect(await skill.getByRole('checkbox').isChecked()).toBe(true)
  expect(await instructions.getByRole('checkbox').isChecked()).toBe(false)
  await instructions.getByText('This file decides what may be done').waitFor()
  const rights = page.getByRole('region', { name: 'What it changes about rights' })
  await rights.getByText('Nobody may do more or less than before.').waitFor()
  await rights.getByText('agents/main/AGENT.md').waitFor()
  await shoot(page, 'proposed')

  // What is ticked stays so while somebody looks at other tabs and views.
  await skill.getByRole('checkbox').uncheck()
  await instructions.getByRole('checkbox').check()
  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('tab', { name: 'Changes' }).click()
  expect(await skill.getByRole('checkbox').isChecked()).toBe(false)
  expect(await instructions.getByRole('checkbox').isChecked()).toBe(true)
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByRole('link', { name: 'Agent', exact: true }).click()
  expect(await skill.getByRole('checkbox').isChecked()).toBe(false)
  await skill.getByRole('checkbox').check()

  // The conversation and its proposal are there after a reload.
  await page.reload()
  await page.getByText('I propose files for: bakery.').waitFor()
  await instructions.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('3 files written.').waitFor()
  await runRelatedEvals(page)
  expect(await readFile(join(door.dir, 'agents/main/AGENT.md'), 'utf8')).toBe(INSTRUCTIONS)
  expect(await readFile(join(door.dir, 'skills/opening-hours/SKILL.md'), 'utf8')).toBe(SKILL)
  await page.getByRole('button', { name: /^Undo the change of/ }).waitFor()

  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('button', { name: 'AGENT.md', exact: true }).waitFor()
  await shoot(page, 'files')
  await page.getByRole('button', { name: 'AGENT.md', exact: true }).press('Enter')
  await page.getByLabel('Text of agents/main/AGENT.md').getByText('Never promise').waitFor()
  await page.getByRole('button', { name: 'Back to the files' }).press('Enter')

  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByRole('link', { name: 'New chat' }).click()
  await say(page, 'Good morning')
  await page.getByText('Welcome, guest.').waitFor()
  // What was said to the admin agent does not stand among the chats.
  const chats = page.getByRole('navigation', { name: 'Sessions' })
  await chats.getByText('Good morning').waitFor()
  expect(await page.getByText('It answers the guests of a bakery.').count()).toBe(0)
  // The conversation with the admin agent is where it was.
  await page.getByRole('link', { name: 'Agent', exact: true }).click()
  await page.getByText('I propose files for: bakery.').waitFor()
  expect(page.url()).toContain(`#/configure/${session}`)
}

async function runRelatedEvals(page: Page): Promise<void> {
  const evals = page.getByRole('region', { name: 'Related evals' })
  await evals.getByText('greeting/good-morning').waitFor()
  await shoot(page, 'accepted')
  await evals.getByRole('button', { name: 'Run related evals' }).click()
  const run = evals.getByRole('link', { name: 'open the run' })
  await run.waitFor()
  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await run.waitFor()
}

async function undoOnPhone(page: Page, door: Door): Promise<void> {
  await page.setViewportSize({ width: 390, height: 780 })
  await page.getByRole('tab', { name: 'Chat' }).waitFor()
  await shoot(page, 'phone-chat')
  await page.getByRole('tab', { name: 'Chat' }).press('ArrowRight')
  await page.getByRole('button', { name: /^Undo the change of/ }).click()
  await page.getByText('The change is undone.').waitFor()
  expect(existsSync(join(door.dir, 'agents/main/AGENT.md'))).toBe(false)
  expect(existsSync(join(door.dir, 'skills/opening-hours/SKILL.md'))).toBe(false)
  await shoot(page, 'phone-undone')
}

async function setSecret(page: Page, door: Door): Promise<void> {
  await page.getByRole('tab', { name: 'Chat' }).click()
  await say(page, 'It looks up orders.')
  await page.getByRole('tab', { name: 'Changes' }).click()
  const file = fileOf(page, 'connections/orders/spec.json')
  await file.getByRole('checkbox').check()
  const access = fileOf(page, 'connections/orders/access.json')
  await access.getByRole('checkbox').check()
  await page.getByText('everybody: may now make any other read of orders without asking').waitFor()
  await page.getByText('the connection orders now uses the secret ORDERS_TOKEN').waitFor()
  await shoot(page, 'phone-proposed')
  await page.setViewportSize({ width: 1280, height: 800 })
  await shoot(page, 'rights')
  await page.setViewportSize({ width: 390, height: 780 })
  await page.getByRole('tab', { name: 'Changes' }).click()
  // A secret that is not set stops the calls that need it, and not the agent.
  await page.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('2 files written.').waitFor()
  await shoot(page, 'phone-accepted')
  expect(existsSync(join(door.dir, 'connections/orders/spec.json'))).toBe(true)

  await page.getByRole('tab', { name: 'Secrets' }).click()
  await page.getByText('not set').waitFor()
  await page.getByLabel('ORDERS_TOKEN', { exact: true }).fill('a-value-of-orders')
  await shoot(page, 'phone-secrets')
  await page.getByRole('button', { name: 'Set ORDERS_TOKEN' }).click()
  await page.getByText('ORDERS_TOKEN is set.').waitFor()
  expect(await readFile(join(door.dir, '.env'), 'utf8')).toContain('a-value-of-orders')
  expect(await page.content()).not.toContain('a-value-of-orders')
}

/** A conversation that is begun anew leads to the earlier ones. */
async function openEarlier(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Chat' }).click()
  await page.getByRole('link', { name: 'New conversation' }).click()
  const earlier = page.getByRole('navigation', { name: 'Earlier conversations' })
  await earlier.getByRole('link').first().waitFor()
  await shoot(page, 'phone-earlier')
  await earlier.getByRole('link', { name: 'It answers the guests of a bakery.' }).click()
  await page.getByText('I propose files for: bakery.').waitFor()
}

const fileOf = (page: Page, path: string): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name: path }) })

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['AMODAL_SHOTS']
  if (folder === undefined) return
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${folder}/admin-${name}-${colorScheme}.png` })
  }
}
