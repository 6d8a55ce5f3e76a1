import type { JsonObject } from '@amodal/sdk'
import { endsWithToolResult, reply } from '@amodal/sdk/testing'
import MarkdownIt from 'markdown-it'
import { Marked } from 'marked'
import { describe, expect, test } from 'vitest'
import { findBrowser, openBrowser } from '../../e2e/browser.ts'
import { isWhole, newRandom } from '../../support/random.ts'
import { openDoor, textIn, type Door } from '../support/door.ts'
import { FORMS } from './forms.ts'

/**
 * A page that trusts a reply is the worst that can happen to it: nothing that it says is refused.
 */
const READERS: Readonly<Record<string, (text: string) => string>> = {
  marked: (text) => new Marked({ gfm: true }).parse(text, { async: false }),
  'markdown-it': (text) => new MarkdownIt({ html: true, linkify: true }).render(text),
  'html as it is': (text) => text,
}

const SAMPLE = 30
const random = newRandom()
const chosen = isWhole() ? FORMS : random.sample(FORMS, SAMPLE)
process.stdout.write(
  `${chosen.length} of ${FORMS.length} texts that load something, AMODAL_SEED=${random.seed}\n`,
)

const hostOf = (form: number): string => `f${form}.evil.example`
const texts = chosen.map((form, n) => `Here: ${n}\n\n${form.replaceAll('HOST', hostOf(n))}`)
const PAGE = 'http://reader.example/'
const asAttribute = (html: string): string =>
  html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** Hosts that a browser turns to when it shows each text in a frame of its own. */
async function hostsLoaded(pages: readonly string[]): Promise<readonly string[]> {
  const found = await findBrowser()
  if (!found) throw new Error('no browser was found')
  const browser = await openBrowser(found)
  try {
    const page = await browser.newPage()
    const hosts = new Set<string>()
    const frames = pages.map((html) => `<iframe srcdoc="${asAttribute(html)}"></iframe>`).join('\n')
    await page.route('**/*', (route) => {
      const { href, hostname } = new URL(route.request().url())
      if (href === PAGE)
        return route.fulfill({ contentType: 'text/html', body: `<!doctype html>${frames}` })
      hosts.add(hostname)
      return route.fulfill({ contentType: 'text/plain', body: '' })
    })
    await page.goto(PAGE, { waitUntil: 'commit' })
    await page.waitForFunction(isShown, pages.length, { timeout: 120_000 })
    await page.waitForTimeout(500) // what a frame turns to after it was shown
    return [...hosts].filter((host) => host.endsWith('.evil.example'))
  } finally {
    await browser.close()
  }
}

/**
 * In the page: whether all frames are there and have been read. One that has gone to another host
 * has been.
 */
function isShown(count: number): boolean {
  const frames = [...document.querySelectorAll('iframe')]
  return (
    frames.length === count &&
    frames.every(
      ({ contentDocument }) =>
        contentDocument === null ||
        (contentDocument.URL === 'about:srcdoc' && contentDocument.readyState !== 'loading'),
    )
  )
}

const contentOf = (events: readonly JsonObject[]): string =>
  events.map((event) => (event['type'] === 'text_delta' ? textIn(event, 'content') : '')).join('')

/**
 * A text as each wire tells it: live, at once, when the session is read again, and as a question.
 */
async function wires(door: Door, n: number): Promise<readonly string[]> {
  const live = await door.stream(`say ${n}`)
  const session = textIn(
    live.find(({ type }) => type === 'init'),
    'session_id',
  )
  const [once, again, asked] = await Promise.all([
    door.say(`say ${n}`),
    door.get(`/sessions/${session}`),
    door.say(`ask ${n}`),
  ])
  const messages = again.body['messages'] as readonly JsonObject[] // the session's shape
  expect(asked, asked.text).toMatchObject({ status: 202 })
  const [{ pending_input_context: context, pending_input_schema: schema } = {}] = asked.body[
    'pending_input'
  ] as readonly Record<string, JsonObject>[] // what waits for a person
  const told = [
    contentOf(live),
    textIn(once.body, 'response'),
    textIn(messages.at(-1), 'text'),
    textIn(context, 'question'),
    textIn(schema, 'description'),
  ]
  for (const text of told) expect(text, `Here: ${n}`).toContain(`Here: ${n}`)
  return told
}

describe('texts that load something by themselves', () => {
  test.each(Object.entries(READERS))(
    'do so for %s',
    { timeout: 240_000 },
    async (_name, render) => {
      const loaded = await hostsLoaded(texts.map(render))
      expect(loaded.length).toBeGreaterThan(chosen.length / 5)
    },
  )

  test('load nothing once they have left, on any wire', { timeout: 600_000 }, async () => {
    const wanted = (message: string): string => texts[Number(/\d+$/.exec(message)?.[0])] ?? ''
    await using door = await openDoor({
      script: (request) => {
        const last = request.messages.findLast(({ role }) => role === 'user')?.content
        const message = typeof last === 'string' ? last : ''
        if (message.startsWith('say')) return reply.text(wanted(message).match(/[^]{1,7}/g) ?? [])
        return endsWithToolResult(request)
          ? reply.text('Thanks.')
          : reply.toolCalls({
              name: 'ask_user',
              arguments: { questions: [{ id: 'q', text: wanted(message) }] },
            })
      },
    })
    const told = new Set<string>()
    for (const n of texts.keys()) for (const text of await wires(door, n)) told.add(text)
    for (const [reader, render] of Object.entries(READERS))
      expect(await hostsLoaded([...told].map(render)), reader).toEqual([])
  })
})
