import { defineTool } from '@amodal/sdk'
import { createClient, type Runs, type RunUpdate } from '@amodal/sdk/client'
import { reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { keyOf, serving } from './support/serving.ts'

/** A tool that waits until the test opens the gate. */
function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const tool = defineTool({
    name: 'wait',
    description: 'Waits.',
    readOnly: false,
    keyed: true,
    input: z.object({}),
    execute: async () => {
      await opened
      return { status: 'success', output: 'waited' }
    },
  })
  return { tool, open: () => open() }
}
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  readOnly: false,
  tier: 'confirm',
  input: z.object({ amount: z.number() }),
  execute: () => Promise.resolve({ status: 'success', output: 'paid' }),
})

const runsOf = (url: string, request: typeof fetch = fetch): Runs =>
  createClient({ url, credential: keyOf('acme'), fetch: request }).runs

async function followed(updates: AsyncIterable<RunUpdate>): Promise<readonly RunUpdate[]> {
  const all: RunUpdate[] = []
  for await (const update of updates) all.push(update)
  return all
}

const statusesIn = (updates: readonly RunUpdate[]): readonly string[] =>
  updates.flatMap((update) => (update.type === 'state' ? [update.state.status] : []))
const idsIn = (updates: readonly RunUpdate[]): readonly string[] =>
  updates.flatMap((update) => (update.type === 'progress' ? [update.id] : []))

test('a run is followed to its question, and from there to its end, each event once', async () => {
  const server = await serving({
    script: reply.toolsThenText({ name: 'pay', arguments: { amount: 7 } }, 'Paid.'),
    tools: [pay],
  })
  const runs = runsOf(server.url)
  const started = await runs.start({ profile: 'agent', task: 'pay' })
  const id = started.session_id
  expect(started.status).toBe('queued')

  const first = await followed(runs.follow(id))
  expect(statusesIn(first).at(-1)).toBe('awaiting_input')
  const [question] = (await runs.status(id)).pending_inputs ?? []
  await runs.resume(id, { approved: true }, question ? { ask: question.ask_id } : {})

  const second = await followed(runs.follow(id, { last: idsIn(first).at(-1) }))
  expect(statusesIn(second).at(-1)).toBe('complete')
  expect(idsIn(second).filter((one) => idsIn(first).includes(one))).toEqual([])
  expect(await followed(runs.follow(id)).then(idsIn)).toEqual([...idsIn(first), ...idsIn(second)])
})

test('a run that was queued has a state of its own once it has begun', async () => {
  const work = gate()
  const server = await serving({
    script: reply.toolsThenText({ name: 'wait', arguments: {} }, 'Done.'),
    tools: [work.tool],
    config: { concurrency: 1 },
  })
  const runs = runsOf(server.url)
  const before = await runs.start({ profile: 'agent', task: 'first' })
  await server.until(before.session_id, 'running')
  const { session_id: id } = await runs.start({ profile: 'agent', task: 'second' })
  const statuses: string[] = []
  for await (const update of runs.follow(id)) {
    if (update.type === 'state') statuses.push(update.state.status)
    work.open()
  }
  expect([statuses[0], statuses.at(-1)]).toEqual(['queued', 'complete'])
  expect(statuses.length).toBeGreaterThan(2)
  expect(statuses[1]).not.toBe('queued')
  await followed(runs.follow(before.session_id))
})

/** The document of a page as far as it says whether the page is visible. */
function page() {
  const events = new EventTarget()
  const state = { visibilityState: 'visible' }
  Object.defineProperty(globalThis, 'document', {
    configurable: true,
    value: Object.assign(state, {
      addEventListener: events.addEventListener.bind(events),
      removeEventListener: events.removeEventListener.bind(events),
    }),
  })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'document'))
  return (visibilityState: 'visible' | 'hidden'): void => {
    state.visibilityState = visibilityState
    events.dispatchEvent(new Event('visibilitychange'))
  }
}

test('a hidden page has no connection, and goes on behind the last event once it is visible', async () => {
  const show = page()
  const work = gate()
  const server = await serving({
    script: reply.toolsThenText({ name: 'wait', arguments: {} }, 'Done.'),
    tools: [work.tool],
  })
  const opened: { readonly last: string | null; readonly signal: AbortSignal | null }[] = []
  const runs = runsOf(server.url, (input, init) => {
    const request = new Request(input, init)
    if (request.url.endsWith('/stream'))
      opened.push({ last: request.headers.get('last-event-id'), signal: init?.signal ?? null })
    return fetch(input, init)
  })
  const { session_id: id } = await runs.start({ profile: 'agent', task: 'wait' })
  const connections: boolean[] = []
  const updates: RunUpdate[] = []
  const options = {
    pauseWhileHidden: true,
    onConnection(isOpen: boolean) {
      connections.push(isOpen)
      // the stream is cut: the run goes on without a reader, and the page is seen again later
      if (isOpen || connections.length > 2) return
      work.open()
      void server.until(id, 'complete').then(() => show('visible'))
    },
  }
  for await (const update of runs.follow(id, options)) {
    updates.push(update)
    if (update.type === 'progress' && idsIn(updates).length === 1) show('hidden')
  }
  expect(opened.map(({ last }) => last)).toEqual([null, idsIn(updates)[0]])
  expect(opened[0]?.signal?.aborted).toBe(true)
  expect(connections).toEqual([true, false, true, false])
  expect(new Set(idsIn(updates)).size).toBe(idsIn(updates).length)
  expect(statusesIn(updates).at(-1)).toBe('complete')
})

test('runs are listed by where they stand, with who started them', async () => {
  const server = await serving({ script: () => reply.text('Done.') })
  const runs = runsOf(server.url)
  const { session_id: id } = await runs.start({ profile: 'agent', task: 'one' })
  await followed(runs.follow(id))
  const { sessions } = await runs.list({ status: 'complete' })
  expect(sessions).toMatchObject([{ session_id: id, task: 'one', started_by: expect.any(String) }])
  expect((await runs.list({ status: 'error' })).sessions).toEqual([])
})
