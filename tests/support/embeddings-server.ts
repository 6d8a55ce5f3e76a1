import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { z } from 'zod'

/** Words that mean the same to the scripted model, as a trained one knows them. */
const MEANINGS: readonly (readonly string[])[] = [
  ['baby', 'birth', 'parental', 'mothers', 'fathers', 'newborn'],
  ['holiday', 'vacation', 'leave', 'off'],
  ['ill', 'sick', 'disease'],
  ['doctor', 'physician', 'certificate', 'note'],
  ['salary', 'salaries', 'wages', 'payroll', 'payslips'],
  ['mail', 'email', 'message'],
  ['suspicious', 'strange', 'phishing'],
  ['password', 'passwords', 'credentials', 'pasword'],
  ['laptop', 'notebook', 'machine'],
  ['stolen', 'lost', 'theft'],
  ['lunch', 'noon', 'food', 'canteen', 'menu', 'dish'],
  ['vegan', 'vegetarian'],
  ['fire', 'evacuation', 'alarm'],
  ['assembly', 'gather', 'meet'],
  ['room', 'rooms', 'conference', 'hall'],
  ['booked', 'reserve', 'book'],
  ['release', 'releases', 'releasing', 'deploy', 'deployment', 'ship', 'production'],
  ['undoing', 'revert', 'rollback', 'bad'],
  ['incident', 'outage'],
  ['commander', 'leads', 'leader'],
  ['backups', 'snapshots', 'saved'],
  ['kept', 'retained', 'retention'],
  ['erasure', 'erasing', 'forgotten', 'delete'],
  ['region', 'hosted', 'stored', 'residency'],
  ['promise', 'availability', 'uptime', 'sla', 'agreement'],
  ['year', 'yearly', 'annual', 'months'],
  ['discount', 'discounts', 'half', 'cheaper'],
  ['price', 'prices', 'pricing', 'pay', 'costs', 'fee'],
  ['charities', 'charity', 'nonprofit', 'schools'],
  ['refund', 'refunds', 'money', 'back'],
  ['cancel', 'ending', 'quit', 'quits', 'leaves'],
  ['car', 'vehicle', 'vehicles', 'electric'],
  ['remote', 'remotely', 'telecommuting', 'home'],
  ['abroad', 'country', 'foreign'],
]
const DIMENSIONS = 512

const Request = z.object({ model: z.string(), input: z.array(z.string()) })

/** A scripted model for vectors, behind OpenAI's `/embeddings` on loopback. */
export interface EmbeddingsServer extends AsyncDisposable {
  /** The base URL, `http://127.0.0.1:PORT/v1`. */
  readonly url: string
  /** All texts that it was sent. */
  readonly texts: readonly string[]
  /** The `authorization` of the last request. */
  readonly authorization: string | undefined
  /** What it answers from now on in place of vectors; `undefined`: vectors. */
  fail(answer: { readonly status: number; readonly body: string } | undefined): void
}

/** Starts one; texts that share words, or words of one meaning, are near each other. */
export async function startEmbeddingsServer(): Promise<EmbeddingsServer> {
  const texts: string[] = []
  let authorization: string | undefined
  let failing: { readonly status: number; readonly body: string } | undefined
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      authorization = request.headers.authorization
      const body = Request.safeParse(JSON.parse(text))
      const answer =
        failing ??
        (request.url === '/v1/embeddings' && body.success
          ? { status: 200, body: vectorsOf(body.data.input) }
          : { status: 400, body: '{"error":{"message":"no such request"}}' })
      if (body.success && !failing) texts.push(...body.data.input)
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    texts,
    get authorization() {
      return authorization
    },
    fail: (answer) => {
      failing = answer
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array)) // of a socket
  return Buffer.concat(chunks).toString('utf8')
}

/** As the service answers, the last one first: `index` says which is which. */
const vectorsOf = (texts: readonly string[]): string =>
  JSON.stringify({
    object: 'list',
    data: texts
      .map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
      .toReversed(),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  })

function vectorOf(text: string): readonly number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const at = MEANINGS.findIndex((words) => words.includes(word))
    const place = at === -1 ? MEANINGS.length + (hash(word) % (DIMENSIONS - MEANINGS.length)) : at
    vector[place] = (vector[place] ?? 0) + (at === -1 ? 0.3 : 1)
  }
  return vector
}

const hash = (word: string): number =>
  [...word].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7)
