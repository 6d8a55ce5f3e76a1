/** More webhooks than a server takes, and larger ones: memory is bounded, chats are answered. */

import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request, type ClientRequest, type RequestOptions } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@amodal/sdk/client'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agentFolder } from '../support/agent-folder.ts'
import { isWhole } from '../support/random.ts'
import { serve, type Server } from './server.ts'

const SECRET = 'shared with the sender'
const MB = 1_048_576
const LARGE = 30 * MB
/** What is written at once. */
const PIECE = Buffer.alloc(65_536, 'x')
/** Large bodies on their way at the same time. */
const SIMULTANEOUS = 16
const REQUESTS = isWhole() ? 10_000 : 3_000
const CONNECTIONS = 48
/** Bytes of an event. */
const EVENT = 10_000
/**
 * MB that the process may grow by at its peak: pieces on their way, and garbage that was not yet
 * collected. Large bodies that are on their way together are 480.
 */
const MOST_GROWTH = 200
const isLinux = process.platform === 'linux'

async function hooked(): Promise<AsyncDisposable & { readonly server: Server }> {
  const model = await startModelServer({ script: reply.text('Seen.') })
  onTestFinished(() => model.close())
  const folder = await agentFolder({
    'amodal.json': JSON.stringify({
      name: 'hooked',
      models: { main: { provider: 'openai-compatible', model: 'm', baseUrl: model.url } },
    }),
    'automations/push.json': JSON.stringify({
      prompt: 'Look: {{event}}',
      webhookAuth: { type: 'github', secret: 'env:HOOK_SECRET' },
    }),
  })
  const server = await serve(folder.dir, { HOOK_SECRET: SECRET })
  return {
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Where the peak of a process' memory is told, and can be forgotten. */
class Memory {
  readonly #pid: number

  constructor({ process: { child } }: Server) {
    this.#pid = child.pid ?? 0
  }

  /** @returns MB in RAM now; the peak begins anew */
  reset(): number {
    writeFileSync(`/proc/${this.#pid}/clear_refs`, '5')
    return this.#read('VmRSS')
  }

  /** MB in RAM at most since then. */
  get peak(): number {
    return this.#read('VmHWM')
  }

  #read(name: string): number {
    const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
  }
}

interface Refusal {
  readonly status: number
  /** Bytes that were written before the answer was there. */
  readonly written: number
}

const post = ({ url }: Server, options: RequestOptions): ClientRequest =>
  request(`${url}/webhooks/push`, { method: 'POST', ...options })

/**
 * Writes 30 MB to the webhook, and goes on writing whatever is answered, until it is cut off.
 *
 * @param restMs between two pieces
 */
async function sendLarge(
  server: Server,
  headers: Readonly<Record<string, string>>,
  restMs: number,
): Promise<Refusal> {
  const sending = post(server, { headers, agent: false })
  const answer = Promise.withResolvers<Refusal>()
  let written = 0
  sending.on('response', (response) => {
    answer.resolve({ status: response.statusCode ?? 0, written })
    response.resume()
  })
  sending.on('error', (cause) => answer.reject(cause)) // nothing, where it was answered before
  answer.promise.catch(() => undefined) // whoever waits for it hears of it
  const closed = new Promise<void>((resolve) => {
    sending.once('close', resolve)
  })
  while (written < LARGE && !sending.closed) {
    written += PIECE.byteLength
    const taken = new Promise<void>((resolve) => {
      sending.write(PIECE, () => resolve())
    })
    await Promise.race([taken, closed])
    await sleep(restMs)
  }
  sending.end()
  await answer.promise.finally(() => sending.destroy())
  return answer.promise
}

/**
 * The same until it is answered: a sender that stands still for as long as the server drops what
 * comes behind its answer finds the connection closed, and not the answer.
 */
async function refusalOf(...sending: Parameters<typeof sendLarge>): Promise<Refusal> {
  for (;;) {
    try {
      return await sendLarge(...sending)
    } catch {
      await sleep(100)
    }
  }
}

test('bodies of 30 MB are refused with 413, however they come, and none is kept in memory', async () => {
  await using world = await hooked()
  const { server } = world
  const memory = new Memory(server)
  const kinds = {
    declared: [{ 'content-length': String(LARGE) }, 0],
    chunked: [{ 'transfer-encoding': 'chunked' }, 0],
    slow: [{ 'transfer-encoding': 'chunked' }, 20],
  } as const
  // What is compiled and allocated for the first ones belongs to none of them.
  for (const [headers, restMs] of Object.values(kinds)) await refusalOf(server, headers, restMs)
  const before = isLinux ? memory.reset() : 0
  for (const [kind, [headers, restMs]] of Object.entries(kinds)) {
    const refused = await Promise.all(
      Array.from({ length: SIMULTANEOUS }, () => refusalOf(server, headers, restMs)),
    )
    expect(
      refused.map(({ status }) => status),
      kind,
    ).toEqual(refused.map(() => 413))
    // Of the others all may be on its way before the server has seen the first piece.
    if (kind === 'slow')
      for (const { written } of refused) expect(written, kind).toBeLessThan(LARGE / 2)
  }
  if (isLinux) expect(memory.peak - before, `from ${before} MB`).toBeLessThan(MOST_GROWTH)
  const small = await sendEvent(server, 0, new Agent())
  expect(small).toBe(202)
})

const sign = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Every third one is signed with another secret. */
function sendEvent(server: Server, n: number, agent: Agent): Promise<number> {
  const body = JSON.stringify({ n, text: 'x'.repeat(EVENT) })
  return new Promise((resolve, reject) => {
    const sending = post(server, {
      agent,
      headers: {
        'content-type': 'application/json',
        'x-github-delivery': `d-${n}`,
        'x-hub-signature-256': sign(body, n % 3 === 2 ? 'another' : SECRET),
      },
    })
    sending.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

test(`${REQUESTS} events at once leave the memory as it was, and every chat is answered`, async () => {
  await using world = await hooked()
  const { server } = world
  const client = createClient({ url: server.url, credential: server.credential })
  const memory = new Memory(server)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  onTestFinished(() => agent.destroy())
  for (let n = 0; n < 60; n++) await sendEvent(server, 2 + 3 * n, agent)
  await client.ask({ text: 'Are you there?' })
  const before = isLinux ? memory.reset() : 0

  const counts: Record<number, number> = {}
  let isOver = false
  const chats = (async () => {
    let answered = 0
    for (; !isOver; answered++) expect((await client.ask({ text: 'Still?' })).text).toBe('Seen.')
    return answered
  })()
  const numbers = Array.from({ length: REQUESTS }, (_, n) => n).values()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (const n of numbers) {
        const status = await sendEvent(server, n, agent)
        counts[status] = (counts[status] ?? 0) + 1
      }
    }),
  )
  isOver = true
  expect(await chats).toBeGreaterThan(0)
  expect(Object.keys(counts), JSON.stringify(counts)).toEqual(['202', '401', '429'])
  expect(counts[429], JSON.stringify(counts)).toBeGreaterThan(REQUESTS / 3)
  if (isLinux)
    expect(memory.peak - before, `from ${before} MB, ${JSON.stringify(counts)}`).toBeLessThan(
      MOST_GROWTH,
    )
})
