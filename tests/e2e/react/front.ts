import { once } from 'node:events'
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a front answers itself, by path. */
export type Pages = Readonly<Record<string, { readonly type: string; readonly body: string }>>

/**
 * An address that stays while the server behind it is killed and comes back on another port, and
 * that cuts streams where a test wants it.
 */
export class Front {
  readonly #server: Server
  readonly #pages: Pages
  /** The port of the server; nobody is there where it is 0. */
  target = 0
  /** Bytes after which the next stream is cut; `undefined`: it is not. */
  cutAfter: () => number | undefined = () => undefined
  cuts = 0
  /** Whether an answer that is no stream is lost, after the server has handled its request. */
  isLost: (method: string, path: string) => boolean = () => false
  losses = 0

  private constructor(pages: Pages) {
    this.#pages = pages
    this.#server = createServer((from, to) => this.#answer(from, to))
  }

  static async start(pages: Pages): Promise<Front> {
    const front = new Front(pages)
    front.#server.listen(0, '127.0.0.1')
    await once(front.#server, 'listening')
    return front
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo // it listens on a port
    return `http://127.0.0.1:${port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
  }

  #answer(from: IncomingMessage, to: ServerResponse): void {
    const page = this.#pages[new URL(from.url ?? '/', 'http://front').pathname]
    if (page) {
      to.writeHead(200, { 'content-type': page.type }).end(page.body)
      return
    }
    const drop = (): void => void to.socket?.resetAndDestroy()
    if (this.target === 0) return drop()
    const { method, headers, url: path } = from
    const onward = request({ host: '127.0.0.1', port: this.target, method, headers, path })
    onward.on('error', drop)
    onward.on('response', (response) => {
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false
      if (!isStream && this.isLost(method ?? '', path ?? '')) {
        this.losses++
        response.resume().on('end', drop)
        return
      }
      to.writeHead(response.statusCode ?? 500, response.headers)
      to.flushHeaders()
      response.on('error', drop).on('aborted', drop)
      let rest = isStream ? (this.cutAfter() ?? Infinity) : Infinity
      response.on('data', (chunk: Buffer) => {
        to.write(chunk.subarray(0, Math.min(rest, chunk.length)))
        rest -= chunk.length
        if (rest > 0) return
        this.cuts++
        response.destroy()
        drop()
      })
      response.on('end', () => to.end())
    })
    to.on('close', () => onward.destroy())
    from.pipe(onward)
  }
}
