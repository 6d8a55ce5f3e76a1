/** `@amodal/react` on a server, with both versions of React, and hydrated in a browser. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '@amodal/sdk/client'
import { contentText, reply, startModelServer, type ModelServer } from '@amodal/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser, openBrowser } from './browser.ts'
import { bundleWith, VERSIONS } from './react/bundle.ts'
import { Front } from './react/front.ts'
import type { ServerAppProps } from './react/server-app.tsx'
import { WORDS } from './react/talk.ts'
import { root, serve, type Server } from './server.ts'

const found = await findBrowser()

declare global {
  interface Window {
    /** What the page has shown, after each change. */
    shown?: string[]
  }
}

/** What the bundle of react/server.tsx exports. */
interface Renderer {
  readonly rendered: (props: ServerAppProps) => string
  readonly streamed: (props: ServerAppProps) => Promise<string>
}

describe.each(VERSIONS)('with React %s', (version) => {
  let model: ModelServer
  let dir: string
  let server: Server
  let client: Client
  let session: string
  let renderer: Renderer
  const props = (more: Partial<ServerAppProps> = {}): ServerAppProps => ({
    url: server.url,
    credential: server.credential,
    session,
    ...more,
  })

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'amodal-react-server-'))
    await cp(join(root, 'examples/use-chat/agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    model = await startModelServer({
      script: ({ messages }) =>
        contentText(messages.at(-1)) === 'And now?'
          ? reply.text(WORDS, { pace: 100 })
          : reply.text('Hello <b>there</b>.'),
      keep: 10,
    })
    server = await serve(dir, { AMODAL_BASE_URL: model.url, AMODAL_MODEL: 'scripted' })
    client = createClient({ url: server.url, credential: server.credential })
    ;({ session } = await client.ask({ text: 'Good morning' }))
    const code = await bundleWith(version, 'server.tsx', { platform: 'node', format: 'cjs' })
    const file = join(dir, 'server.cjs')
    await writeFile(file, code)
    renderer = createRequire(file)(file) as Renderer // bundled above
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await model?.close()
    await rm(dir, { recursive: true, force: true })
  })

  test('renders a history that was read before, escaped', async () => {
    const html = textOf(renderer.rendered(props({ initial: await client.session(session) })))
    expect(html).toContain('Good morning')
    expect(html).toContain('Hello &lt;b&gt;there&lt;/b&gt;.')
    expect(html).toContain('data-status="idle"')
  })

  test('streams what it has to read with Suspense', async () => {
    const html = textOf(await renderer.streamed(props()))
    expect(html).toContain('<h1>Good morning</h1>')
    expect(html).toContain('Hello &lt;b&gt;there&lt;/b&gt;.')
  })

  test.skipIf(found === undefined)(
    'is hydrated without a difference, and shows an answer as it streams',
    async () => {
      const browser = await openBrowser(found ?? { executablePath: '' })
      const pages: Record<string, { type: string; body: string }> = {}
      const front = await Front.start(pages)
      front.target = Number(new URL(server.url).port)
      try {
        const initial = props({ url: front.url, initial: await client.session(session) })
        pages['/'] = { type: 'text/html', body: pageOf(renderer.rendered(initial), initial) }
        pages['/hydrate.js'] = {
          type: 'text/javascript',
          body: await bundleWith(version, 'hydrate.tsx'),
        }
        const page = await browser.newPage()
        const problems: string[] = []
        page.on('pageerror', (error) => problems.push(error.message))
        page.on('console', (message) => {
          if (message.type() === 'error') problems.push(message.text())
        })
        await page.goto(front.url)
        await page.evaluate(() => {
          window.shown = []
          new MutationObserver(() => window.shown?.push(document.body.innerText)).observe(
            document.body,
            { subtree: true, childList: true, characterData: true },
          )
        })
        await page.getByLabel('Message').fill('And now?')
        await expect
          .poll(async () => {
            await page.getByRole('button', { name: 'Send' }).click()
            return page.getByText('And now?').count()
          })
          .toBeGreaterThan(0)
        await page.getByText(WORDS.join('').trim()).waitFor()
        const shown = (await page.evaluate(() => window.shown)) ?? []
        expect(shown.filter((text) => text.includes('One') && !text.includes('eight'))).not.toEqual(
          [],
        )
        await page.locator('[data-status=idle]').waitFor()
        expect(await page.getByText('Hello <b>there</b>.').count()).toBe(1)
        expect(problems).toEqual([])
      } finally {
        await browser.close()
        await front.close()
      }
    },
  )
})

/** Without the marks between texts. */
const textOf = (html: string): string => html.replaceAll('<!-- -->', '')

const pageOf = (html: string, props: ServerAppProps): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>React</title><link rel="icon" href="data:,"><div id="root">${html}</div><script id="props" type="application/json">${JSON.stringify(props).replaceAll('<', '\\u003c')}</script><script type="module" src="/hydrate.js"></script></html>`
