import { Client, type ClientConfig } from 'pg'
import { messageOf, type Logger } from '@amodal/sdk'
import { listenText } from '@amodal/sdk/database'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000
const ALIVE_MS = 15_000

/**
 * Receives NOTIFY on a connection of its own, opened with the first channel. When it breaks it is
 * made again, and every channel with it; what was sent meanwhile is lost, so listeners also poll. A
 * silent break is found by asking now and then.
 */
export class Listener {
  readonly #config: ClientConfig
  readonly #log: Logger
  readonly #channels = new Map<string, Set<(payload: string) => void>>()
  #client: Client | undefined
  /** Resolves once the connection has executed every statement sent to it. */
  #sent: Promise<unknown> | undefined
  #timer: NodeJS.Timeout | undefined
  #attempts = 0
  #closed = false

  constructor(config: ClientConfig, log: Logger) {
    this.#config = config
    this.#log = log
  }

  listen(channel: string, onNotify: (payload: string) => void): () => void {
    const listeners = this.#channels.get(channel) ?? new Set()
    this.#channels.set(channel, listeners)
    // Its own function, so that ending one of two equal listeners leaves the other.
    const listener = (payload: string): void => onNotify(payload)
    listeners.add(listener)
    if (this.#client === undefined && this.#timer === undefined) this.#connect()
    else if (listeners.size === 1) this.#send('listen', channel)
    return () => {
      if (
        !listeners.delete(listener) ||
        listeners.size > 0 ||
        this.#channels.get(channel) !== listeners
      )
        return
      this.#channels.delete(channel)
      this.#send('unlisten', channel)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#channels.clear()
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => undefined)
  }

  #connect(): void {
    if (this.#closed) return
    this.#timer = undefined
    const client = new Client(this.#config)
    this.#client = client
    client.on('error', (cause) => this.#broke(client, cause))
    client.on('end', () => this.#broke(client, new Error('the server closed the connection')))
    client.on('notification', ({ channel, payload }) => this.#hear(channel, payload ?? ''))
    client.connect().then(
      () => {
        if (this.#client !== client) return
        if (this.#attempts > 0) this.#log.info('database.listening_again')
        this.#attempts = 0
        this.#sent = Promise.resolve()
        for (const channel of this.#channels.keys()) this.#send('listen', channel)
        this.#askWhetherAlive(client)
      },
      (cause: unknown) => this.#broke(client, cause),
    )
  }

  #broke(client: Client, cause: unknown): void {
    if (this.#client !== client || this.#closed) return
    this.#client = undefined
    this.#sent = undefined
    clearTimeout(this.#timer)
    void client.end().catch(() => undefined)
    if (this.#attempts === 0) this.#log.warn('database.listen_broke', { message: messageOf(cause) })
    const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#attempts++)
    this.#timer = setTimeout(() => this.#connect(), wait).unref()
  }

  #askWhetherAlive(client: Client): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const late = setTimeout(
        () => this.#broke(client, new Error('the server does not answer')),
        ALIVE_MS / 3,
      ).unref()
      this.#sent = (this.#sent ?? Promise.resolve())
        .then(() => client.query('select 1'))
        .then(
          () => {
            if (this.#client === client) this.#askWhetherAlive(client)
          },
          (cause: unknown) => this.#broke(client, cause),
        )
        .finally(() => clearTimeout(late))
    }, ALIVE_MS).unref()
  }

  /**
   * Until it is connected there is nothing to say: connecting says `listen` for every channel there
   * is then.
   */
  #send(verb: 'listen' | 'unlisten', channel: string): void {
    const client = this.#client
    if (!client || !this.#sent) return
    this.#sent = this.#sent
      .then(() => client.query(listenText(verb, channel)))
      .catch((cause: unknown) => this.#broke(client, cause))
  }

  #hear(channel: string, payload: string): void {
    for (const onNotify of [...(this.#channels.get(channel) ?? [])]) {
      try {
        onNotify(payload)
      } catch (cause) {
        this.#log.warn('database.listener_failed', { channel, message: messageOf(cause) })
      }
    }
  }
}
