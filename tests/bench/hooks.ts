/**
 * Sends signed webhooks, so many in a second, and prints how they were answered as one line of
 * JSON: counts by status.
 *
 *     node tests/bench/hooks.ts --url http://127.0.0.1:3847/webhooks/hook --secret s --count 10000 --rate 1000
 */

import { createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    secret: { type: 'string', default: '' },
    count: { type: 'string', default: '10000' },
    /** In a second, as long as the server answers so fast. */
    rate: { type: 'string', default: '1000' },
  },
})

/** Of so many one is signed with another secret. */
const FORGED = 10
const CONNECTIONS = 32
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
const count = Number(values.count)
const rate = Number(values.rate)
const begun = performance.now()
const counts: Record<string, number> = {}
const numbers = Array.from({ length: count }, (_, n) => n).values()

await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    for (const n of numbers) {
      const early = begun + (n / rate) * 1000 - performance.now()
      if (early > 0) await sleep(early)
      const status = await send(n)
      counts[status] = (counts[status] ?? 0) + 1
    }
  }),
)
agent.destroy()
const seconds = (performance.now() - begun) / 1000
process.stdout.write(`${JSON.stringify({ counts, seconds })}\n`)

function send(n: number): Promise<number> {
  const body = JSON.stringify({ n, action: 'opened', text: 'x'.repeat(500) })
  const secret = n % FORGED === 0 ? 'another' : values.secret
  return new Promise((resolve, reject) => {
    const post = request(values.url, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
    })
    post.on('error', reject)
    post.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    post.end(body)
  })
}
