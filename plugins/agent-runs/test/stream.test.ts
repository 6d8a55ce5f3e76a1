import { defineTool } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { framesOf, serving, type SseFrame } from './support/serving.ts'

/** A tool that waits for the test, call by call. */
function gate() {
  const waiting: (() => void)[] = []
  const tool = defineTool({
    name: 'wait_for_it',
    description: 'Waits.',
    readOnly: false,
    keyed: true,
    input: z.object({ n: z.number() }),
    execute: async ({ n }, { signal }) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      return { status: 'success', output: { n } }
    },
  })
  const open = async (): Promise<void> => {
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    waiting.shift()?.()
  }
  return { tool, open }
}

/** Calls the tool `times` times, one after another, then says so. */
const calls =
  (times: number) =>
  ({ messages }: { messages: readonly { role: string }[] }) => {
    const n = messages.filter(({ role }) => role === 'tool').length
    return n < times
      ? reply.toolCalls({ name: 'wait_for_it', arguments: { n } })
      : reply.text('All done.')
  }

const types = (frames: readonly SseFrame[]) =>
  frames.map(({ event, data }) => (event === 'progress' ? data['type'] : event))

test('a stream begins with the state, tells each event and ends with the state', async () => {
  const { tool, open } = gate()
  const server = await serving({ script: calls(1), tools: [tool] })
  const id = await server.run('go')
  const streamed = server.open(`/agents/${id}/stream`).then((response) => framesOf(response))
  await open()
  const { frames } = await streamed
  expect(frames[0]?.event).toBe('state')
  expect(types(frames.slice(1, -1))).toEqual([
    'tool_start',
    'tool_complete',
    'turn_complete',
    'thinking',
    'turn_complete',
    'completed',
  ])
  expect(frames.at(-1)).toMatchObject({
    event: 'state',
    data: { session_id: id, status: 'complete', result_summary: 'All done.' },
  })
  expect(frames[1]?.data).toMatchObject({
    type: 'tool_start',
    toolId: 'wait_for_it',
    inputSummary: '{"n":0}',
  })
})

test('goes on from any id without a gap and without a repeat', async () => {
  const { tool, open } = gate()
  const server = await serving({ script: calls(3), tools: [tool] })
  const id = await server.run('go')
  let isOpen = false
  const first = await framesOf(await server.open(`/agents/${id}/stream`), (frames) => {
    if (!isOpen) void open() // with the first frames: several may come at once
    isOpen = true
    return frames.some(({ data }) => data['type'] === 'turn_complete')
  })
  const seen = first.frames.filter(({ event }) => event === 'progress')
  for (let n = 0; n < 2; n++) await open()
  await server.until(id, 'complete')
  const whole = (await framesOf(await server.open(`/agents/${id}/stream`))).frames.filter(
    ({ event }) => event === 'progress',
  )
  expect(whole.slice(0, seen.length)).toEqual(seen)
  for (const [at, { id: last = '' }] of whole.entries()) {
    const rest = await framesOf(
      await server.open(`/agents/${id}/stream`, { 'last-event-id': last }),
    )
    expect(rest.frames[0]?.event).toBe('state')
    expect(rest.frames.filter(({ event }) => event === 'progress')).toEqual(whole.slice(at + 1))
  }
  const bad = await server.open(`/agents/${id}/stream`, { 'last-event-id': 'x' })
  expect(bad.status).toBe(400)
})

test('pings while nothing happens, and ends with `timeout`', async () => {
  const server = await serving({
    script: reply.silence(),
    config: { stream: { seconds: 1, pingMs: 100 } },
  })
  const id = await server.run('go')
  const { frames, text } = await framesOf(await server.open(`/agents/${id}/stream`))
  expect(text).toMatch(/^:ping$/m)
  expect(frames.at(-1)?.event).toBe('timeout')
  await server.post(`/agents/${id}/cancel`, {})
})

test('a principal has so many streams and no more', async () => {
  const server = await serving({
    script: reply.silence(),
    config: { stream: { perPrincipal: 1 } },
  })
  const id = await server.run('go')
  const first = await server.open(`/agents/${id}/stream`)
  const more = await server.open(`/agents/${id}/stream`)
  expect(more.status).toBe(429)
  expect(more.headers.get('retry-after')).toBe('5')
  await server.post(`/agents/${id}/cancel`, {})
  expect((await framesOf(first)).frames.at(-1)?.data).toMatchObject({ status: 'canceled' })
  expect((await server.open(`/agents/${id}/stream`)).status).toBe(200)
})
