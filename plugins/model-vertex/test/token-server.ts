import { once } from 'node:events'
import { createServer } from 'node:http'
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose'

/** What the endpoint answers to one request. */
export interface TokenAnswer {
  readonly status?: number
  readonly body: object
  /** Before the answer, ms. */
  readonly delayMs?: number
}

export interface TokenServer {
  /** The key file of the one account that it knows. */
  readonly account: Readonly<Record<string, string>>
  /** How many requests it has had. */
  readonly count: number
  /** What later requests are answered with, by their number from 0. */
  play(answer: (n: number) => TokenAnswer): void
  close(): Promise<void>
}

/**
 * The endpoint of Google for the JWT grant, on loopback: it checks the signature, the issuer, the
 * audience and the scope of what it is sent. Source: "Using OAuth 2.0 for Server to Server
 * Applications" of Google.
 */
export async function startTokenServer(): Promise<TokenServer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  let answer: (n: number) => TokenAnswer = (n) => ({ body: tokenOf(n) })
  let count = 0
  const email = 'agent@my-project.iam.gserviceaccount.com'
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      await once(request, 'end')
      const n = count++
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
      const problem = await problemOf(form)
      const { status = 200, body, delayMs = 0 } = problem ?? answer(n)
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      }, delayMs)
    }
    void respond()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const url = `http://127.0.0.1:${port}/token`

  async function problemOf(form: URLSearchParams): Promise<TokenAnswer | undefined> {
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return { status: 400, body: { error: 'unsupported_grant_type' } }
    try {
      const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
        issuer: email,
        audience: url,
        algorithms: ['RS256'],
        maxTokenAge: '5m',
      })
      if (payload['scope'] === 'https://www.googleapis.com/auth/cloud-platform') return undefined
      return { status: 400, body: { error: 'invalid_scope' } }
    } catch {
      return {
        status: 400,
        body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
      }
    }
  }

  return {
    account: {
      type: 'service_account',
      project_id: 'my-project',
      private_key_id: 'key-1',
      private_key: await exportPKCS8(privateKey),
      client_email: email,
      token_uri: url,
    },
    get count() {
      return count
    },
    play(next) {
      answer = next
      count = 0
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export const tokenOf = (n: number, seconds = 3_600): object => ({
  access_token: `ya29.token-number-${n}`,
  expires_in: seconds,
  token_type: 'Bearer',
})
