import { once } from 'node:events'
import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { use, type AgentEvent, type Frame, type FrameCursor } from '@amodal/sdk'
import { eventStream } from '@amodal/sdk/wire'
import { mounting, serving } from './server.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Frames that a test writes by hand. */
class Frames implements FrameCursor {
  closed = false
  taken = 0
  #frames: Frame[] = []
  #ended = false
  #n = 0
  #wake = Promise.withResolvers<void>()

  push(...events: readonly AgentEvent[]): void {
    for (const event of events)
      this.#frames.push({
        id: { seq: 1, fencingToken: 1, attempt: 1, n: ++this.#n },
        at: Date.now(),
        event,
      })
    this.#notify()
  }
  end(): void {
    this.#ended = true
    this.#notify()
  }
  close(): void {
    this.closed = true
    this.end()
  }
  take(): readonly Frame[] {
    const frames = this.#frames
    this.#frames = []
    this.taken += frames.length
    return frames
  }
  async wait(): Promise<boolean> {
    while (this.#frames.length === 0 && !this.#ended) await this.#wake.promise
    return this.#frames.length > 0
  }
  async *[Symbol.asyncIterator]() {
    while (await this.wait()) yield* this.take()
  }
  #notify(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }
}

const streaming = (frames: Frames, options = {}, config = {}) =>
  serving(
    [
      use(
        mounting('stream', (t) =>
          t.mount('/stream', { fetch: () => eventStream(frames, options) }),
        ),
      ),
    ],
    config,
  )

test('an event stream reaches the client event by event', async () => {
  const frames = new Frames()
  await using server = await streaming(frames)
  const response = await server.get('/stream') // the head is there before any event
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (const content of ['one', 'two']) {
    frames.push({ type: 'text_delta', content })
    expect((await reader?.read())?.value).toContain(`"content":"${content}"`)
  }
  frames.push({ type: 'done', reason: 'model_stop' })
  frames.end()
  expect((await reader?.read())?.value).toContain('event: done')
  expect((await reader?.read())?.done).toBe(true)
})

test('what comes in one tick leaves in one write', async () => {
  const frames = new Frames()
  await using server = await streaming(frames)
  const socket = createConnection({ port: server.port, host: '127.0.0.1' })
  socket.write('GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'data')
  for (let n = 0; n < 50; n++) {
    frames.push({ type: 'text_delta', content: `w${n}` })
    await Promise.resolve()
  }
  const [chunk]: Buffer[] = await once(socket, 'data')
  // one chunk of the transfer encoding
  expect(String(chunk).match(/^[\da-f]+\r\n/gm)).toHaveLength(1)
  expect(String(chunk).match(/event: text_delta/g)).toHaveLength(50)
  socket.destroy()
})

test('a client that leaves closes the frames', async () => {
  const frames = new Frames()
  await using server = await streaming(frames)
  const stop = new AbortController()
  await server.get('/stream', { signal: stop.signal })
  stop.abort()
  await expect.poll(() => frames.closed).toBe(true)
})

test('a client that reads nothing stops the reading of frames at its bound, and is cut', async () => {
  const frames = new Frames()
  await using server = await streaming(frames, {}, { slowReaderMs: 300 })
  const socket = createConnection({ port: server.port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  socket.write('GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'data')
  socket.pause()
  const content = 'x'.repeat(50_000) // 100 KB as an event
  for (let n = 0; n < 300 && !frames.closed; n++) {
    frames.push({ type: 'text_delta', content })
    await sleep(1)
  }
  await expect.poll(() => frames.closed).toBe(true)
  expect(frames.taken).toBeLessThan(250) // what the operating system's buffers hold, and 1 MB here
  socket.destroy()
})

test('a stream that comes after the deadline of its answer waits for no reader', async () => {
  const frames = new Frames()
  await using server = await serving(
    [
      use(
        mounting('stream', (t) =>
          t.mount('/stream', {
            fetch: async () => {
              await sleep(200)
              return eventStream(frames)
            },
          }),
        ),
      ),
    ],
    { answerTimeoutMs: 100 },
  )
  expect((await server.get('/stream')).status).toBe(504)
  await expect.poll(() => frames.closed).toBe(true)
})

test('a long replay reaches a client that reads', async () => {
  const frames = new Frames()
  await using server = await streaming(frames)
  for (let n = 0; n < 100; n++)
    frames.push({ type: 'text_delta', content: `${n}:${'x'.repeat(50_000)}` })
  frames.end()
  const text = await (await server.get('/stream')).text()
  expect([...text.matchAll(/"content":"(\d+):/g)].map(([, n]) => Number(n))).toEqual(
    Array.from({ length: 100 }, (_, n) => n),
  )
})

test('frames that fail end the connection without an end, and the log says why', async () => {
  const failing: FrameCursor = {
    take: () => [],
    wait: () => Promise.reject(new Error('the store is gone')),
    close: () => undefined,
    async *[Symbol.asyncIterator]() {
      /* none */
    },
  }
  await using server = await serving([
    use(mounting('stream', (t) => t.mount('/stream', { fetch: () => eventStream(failing) }))),
  ])
  await expect(server.get('/stream').then((response) => response.text())).rejects.toThrow()
  expect(server.lines).toContainEqual(
    expect.objectContaining({ level: 'error', event: 'http.stream_failed' }),
  )
})

test('a server that leaves lets a stream come to its end', async () => {
  const frames = new Frames()
  const server = await streaming(frames)
  const response = await server.get('/stream') // its head says that the server has it
  const closed = server.kernel.close()
  await server.refusing()
  frames.push({ type: 'done', reason: 'model_stop' })
  frames.end()
  expect(await response.text()).toContain('event: done')
  await closed
})

test('and one that goes without a drain cuts it', async () => {
  const frames = new Frames()
  const server = await streaming(frames)
  const text = (await server.get('/stream')).text()
  void text.catch(() => undefined)
  const reloaded = await server.kernel.reload([])
  if (reloaded.ok) await reloaded.value.retired
  await expect(text).rejects.toThrow()
  expect(frames.closed).toBe(true)
})
