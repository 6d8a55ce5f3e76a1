import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/**
 * What becomes of what passes: all of it arrives, nothing does, nothing comes back, or every
 * connection is refused.
 */
export type Passage = 'open' | 'silent' | 'deaf' | 'cut'

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

/** A cable between a server and its database that can be cut. */
export class Proxy {
  readonly #listener: Server
  readonly #pairs = new Set<Pair>()
  /** Connections that nobody on the other side knows of yet. */
  readonly #waiting = new Set<Socket>()
  readonly #target: number
  #passage: Passage = 'open'

  private constructor(target: number) {
    this.#target = target
    this.#listener = createServer((near) => this.#accept(near))
  }

  /** @param target a port of loopback */
  static async start(target: number): Promise<Proxy> {
    const proxy = new Proxy(target)
    proxy.#listener.listen(0, '127.0.0.1')
    await once(proxy.#listener, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port
  } // listens on a port

  pass(passage: Passage): void {
    const before = this.#passage
    this.#passage = passage
    if (passage === 'cut') this.#breakAll()
    // Whose answers were swallowed cannot go on: the protocol has lost its place.
    if (before === 'deaf' && passage !== 'deaf') this.#breakAll()
    for (const { near, far } of this.#pairs) {
      if (passage === 'silent') for (const end of [near, far]) end.pause()
      else for (const end of [near, far]) end.resume()
    }
    if (passage === 'silent') return
    for (const near of this.#waiting) {
      this.#waiting.delete(near)
      this.#accept(near)
    }
  }

  async close(): Promise<void> {
    this.#breakAll()
    const closed = once(this.#listener, 'close')
    this.#listener.close()
    await closed
  }

  #accept(near: Socket): void {
    near.on('error', () => undefined) // its end is told by `close`
    if (this.#passage === 'cut') {
      near.resetAndDestroy()
      return
    }
    if (this.#passage === 'silent') {
      near.pause()
      this.#waiting.add(near)
      near.once('close', () => this.#waiting.delete(near))
      return
    }
    const far = connect(this.#target, '127.0.0.1')
    far.on('error', () => undefined)
    const pair = { near, far }
    this.#pairs.add(pair)
    near.on('data', (chunk) => far.write(chunk))
    far.on('data', (chunk) => {
      if (this.#passage !== 'deaf') near.write(chunk)
    })
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.once('close', () => {
        this.#pairs.delete(pair)
        other.destroy()
      })
    }
    near.resume()
  }

  #breakAll(): void {
    for (const { near, far } of this.#pairs) for (const end of [near, far]) end.resetAndDestroy()
    for (const near of this.#waiting) near.resetAndDestroy()
    this.#pairs.clear()
    this.#waiting.clear()
  }
}
