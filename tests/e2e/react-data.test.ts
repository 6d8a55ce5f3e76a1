/** The hooks of `@amodal/react` for data and work, in a browser, with both versions of React. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '@amodal/sdk/client'
import {
  contentText,
  reply,
  startModelServer,
  type ModelServer,
  type Script,
} from '@amodal/sdk/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, openBrowser } from './browser.ts'
import { bundleWith, VERSIONS } from './react/bundle.ts'
import { Front } from './react/front.ts'
import { root, serve, type Server } from './server.ts'

const found = await findBrowser()

const script: Script = ({ messages }) => {
  const message = contentText(messages.findLast(({ role }) => role === 'user'))
  if (messages.at(-1)?.role === 'tool') return reply.text('There are some.')
  if (message.includes('Which'))
    return reply.toolCalls({ name: 'query_store', arguments: { store: 'incidents' } })
  if (message.includes('JSON alone')) return reply.text('```json\n{ "open": 2 }\n```')
  return reply.text(`Reply to ${message.slice(0, 200)}`)
}

describe.skipIf(found === undefined).each(VERSIONS)('with React %s', (version) => {
  let browser: Browser
  let model: ModelServer
  let dir: string
  let front: Front
  let server: Server
  let client: Client
  let session: string
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-react-data-'))
    await cp(join(root, 'examples/ops-agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    const manifest = join(dir, 'amodal.json')
    const properties = {
      title: { type: 'string', default: 'To do', visibility: 'public', write: ['api'] },
    }
    await writeFile(
      manifest,
      JSON.stringify({
        ...(JSON.parse(await readFile(manifest, 'utf8')) as object),
        limits: { max_tool_rounds: 5 },
        state: { properties },
      }),
    )
    const [opened, started, code, css] = await Promise.all([
      openBrowser(found ?? { executablePath: '' }),
      startModelServer({ script, keep: 100 }),
      bundleWith(version, 'data-page.tsx'),
      readFile(join(root, 'sdk/react/src/style.css'), 'utf8'),
    ])
    browser = opened
    model = started
    front = await Front.start({
      '/': { type: 'text/html', body: HTML },
      '/page.js': { type: 'text/javascript', body: code },
      '/style.css': { type: 'text/css', body: css },
    })
    server = await serve(dir, { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' })
    front.target = Number(new URL(server.url).port)
    client = createClient({ url: front.url, credential: server.credential })
  })
  afterAll(async () => {
    await browser?.close()
    await front?.close()
    await server?.[Symbol.asyncDispose]()
    await model?.close()
    await rm(dir, { recursive: true, force: true })
  })
  beforeEach(async () => {
    problems.length = 0
    ;({ session } = await client.ask({ text: 'hello' }))
    page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      const text = message.text()
      // the browser itself reports that a document is not there
      if (message.type() === 'error' && !text.startsWith('Failed to load resource'))
        problems.push(text)
    })
    await page.goto(`${front.url}/#token=${server.credential}&session=${session}`)
    await page.locator('li').first().waitFor()
  })
  afterEach(async () => {
    expect(problems).toEqual([])
    await page.close()
  })

  test('documents are read anew when somebody changes them', async () => {
    const before = await client.stores.list('incidents', { filter: { severity: 'P1' } })
    expect(await page.locator('li').count()).toBe(before.total)
    const stored = await client.stores.get<Record<string, string>>('incidents', 'INC-2041')
    const title = `Changed at ${stored?.version}`
    await client.stores.put(
      'incidents',
      { ...stored?.payload, title },
      { version: stored?.version ?? 0 },
    )
    await page.locator('output').getByText(title).waitFor()
    await page.evaluate(() => window.show?.('INC-0'))
    await page.waitForFunction(() => {
      const { document } = window.hooks ?? {}
      return document?.loading === false && document.data === undefined && !document.error
    })
    expect(await client.stores.get('incidents', 'INC-0')).toBeUndefined()
    await expect(client.stores.get('nothing', 'INC-0')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('the live state is followed and changed, and a late change is refused', async () => {
    await page.waitForFunction(() => window.hooks?.state.state?.title === 'To do')
    await client.changeState(session, { title: 'Errands' }, '*')
    await page.waitForFunction(() => window.hooks?.state.state?.title === 'Errands')
    await page.evaluate(() => window.hooks?.state.change({ title: 'Mine' }))
    expect((await client.state(session)).state).toEqual({ title: 'Mine' })
    await page.waitForFunction(() => window.hooks?.state.state?.title === 'Mine')
    await expect(
      client.changeState(session, { title: 'Late' }, 'an-old-version'),
    ).rejects.toMatchObject({ name: 'ClientError' })
  })

  test('a session is renamed and forked, and its answer rated', async () => {
    await page.waitForFunction(() => window.hooks?.session.session?.title === 'hello')
    await page.evaluate(() => window.hooks?.session.update({ title: 'Renamed' }))
    await page.waitForFunction(() => window.hooks?.session.session?.title === 'Renamed')
    const fork = await page.evaluate(async () => (await window.hooks?.session.fork())?.parent_id)
    expect(fork).toBe(session)
    await page.evaluate(() => window.hooks?.feedback.rate('down', undefined, { comment: 'No' }))
    await page.waitForFunction(() => window.hooks?.feedback.opinions[0]?.comment === 'No')
    expect(await client.opinions(session)).toMatchObject([{ rating: 'down', comment: 'No' }])
  })

  test('a task and a run are started and followed to their end', async () => {
    const task = await page.evaluate(() => window.hooks?.task.start('Which incidents are there?'))
    await page.waitForFunction(() => window.hooks?.task.status === 'completed')
    await page.waitForFunction(() => window.hooks?.task.text === 'There are some.')
    expect(await client.tasks.status(task ?? '')).toMatchObject({ status: 'completed' })
    const events = []
    for await (const event of client.tasks.follow(task ?? '')) events.push(event.type)
    expect([events[0], events.at(-1)]).toEqual(['tool_call_start', 'done'])

    const run = await page.evaluate(() =>
      window.hooks?.run.start({ profile: 'agent', task: 'Which incidents are there?' }),
    )
    await page.waitForFunction(() => window.hooks?.run.status === 'complete')
    const shown = await page.evaluate(() => ({
      summary: window.hooks?.run.run?.result_summary,
      progress: window.hooks?.run.progress.map(({ type }) => type),
    }))
    expect(shown.summary).toBe('There are some.')
    expect(shown.progress).toEqual(
      expect.arrayContaining(['tool_start', 'tool_complete', 'completed']),
    )
    expect(await client.runs.status(run ?? '')).toMatchObject({ status: 'complete' })
    const { sessions } = await client.runs.list({ limit: 10 })
    expect(sessions.map(({ session_id: id }) => id)).toContain(run)
    expect((await client.runs.profiles()).map(({ id }) => id)).toContain('researcher')
    await expect(client.runs.cancel(run ?? '')).rejects.toMatchObject({ status: 409 })
  })

  test('single questions have replies, JSON, and a session of their own', async () => {
    await page.evaluate(() => window.hooks?.skill.invoke({ query: 'Look at them' }))
    const skill = await page.evaluate(() => ({
      id: window.hooks?.skill.sessionId ?? '',
      text: window.hooks?.skill.text,
    }))
    expect(skill.text).toContain('Use the skill "triage".')
    expect((await client.session(skill.id)).messages[0]?.text).toContain('Look at them')
    await page.evaluate(() => window.hooks?.brief.run())
    await page.waitForFunction(() => window.hooks?.brief.text.includes('incidents'))
    expect(await page.evaluate(() => window.hooks?.query.query('How many?'))).toEqual({ open: 2 })
    await page.evaluate(() => window.hooks?.brief.run('something else'))
    await page.waitForFunction(() => window.hooks?.brief.text.includes('something else'))
    await page.getByRole('button', { name: 'Ask it' }).click()
    await page.locator('.pcw-reply').getByText('Reply to hello').waitFor()
  })

  test('a stream of an endpoint of one’s own becomes messages', async () => {
    await page.evaluate(() => window.hooks?.stream.send('one'))
    await page.evaluate(() => window.hooks?.stream.send('Which are there?'))
    await page.waitForFunction(() => window.hooks?.stream.items.at(-1)?.kind === 'end')
    const { messages, id } = await page.evaluate(() => ({
      id: window.hooks?.stream.session ?? '',
      messages: window.hooks?.stream.messages.map(({ text, parts }) => [
        text,
        parts.map(({ kind }) => kind),
      ]),
    }))
    expect(messages).toEqual([
      ['one', ['user']],
      ['Reply to one', ['text', 'end']],
      ['Which are there?', ['user']],
      ['There are some.', ['call', 'text', 'end']],
    ])
    expect((await client.session(id)).message_count).toBeGreaterThan(2)
  })

  test('the widget opens, answers, calls back once, and gives the focus back', async () => {
    await page.getByRole('button', { name: 'Help' }).click()
    const widget = page.getByRole('region', { name: 'Help' })
    await widget.getByLabel('Message').fill('Which incidents are there?')
    await widget.getByLabel('Message').press('Enter')
    await widget.getByText('There are some.').waitFor()
    expect(await page.evaluate(() => window.calls)).toEqual(['query_store'])
    await page.keyboard.press('Escape')
    await widget.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Help')
  })
})

const HTML =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>React</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><div id="root"></div><script type="module" src="/page.js"></script></html>'
