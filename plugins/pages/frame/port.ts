import type { FrameMessage, HostMessage, StoreRead } from '../src/protocol.ts'

/** The response of the window around, as HTTP has it. */
export interface Reply {
  readonly status: number
  readonly body: string
}

type Listener = (message: HostMessage) => void

/** The one way out of the frame: messages to the window that shows it. */
class Port {
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  readonly #watchers = new Map<string, Set<() => void>>()
  readonly #unsent: FrameMessage[] = []
  #port: MessagePort | undefined
  #count = 0

  connect(port: MessagePort, listener: Listener): void {
    this.#port = port
    port.onmessage = ({ data }: MessageEvent<HostMessage>) => {
      if (data.op === 'reply') this.#settle(data.id, data)
      else if (data.op === 'changed')
        for (const watcher of this.#watchers.get(data.store) ?? []) watcher()
      else listener(data)
    }
    for (const message of this.#unsent.splice(0)) port.postMessage(message)
  }

  send(message: FrameMessage): void {
    if (this.#port) this.#port.postMessage(message)
    else this.#unsent.push(message)
  }

  read(read: StoreRead): Promise<Reply> {
    return this.#request((id) => ({ op: 'read', id, ...read }))
  }

  invoke(skill: string, query: string): Promise<Reply> {
    return this.#request((id) => ({ op: 'invoke', id, skill, query }))
  }

  /** Calls `watcher` whenever documents of the store may have changed, until the undo is called. */
  watch(store: string, watcher: () => void): () => void {
    const watchers = this.#watchers.get(store) ?? new Set()
    this.#watchers.set(store, watchers.add(watcher))
    return () => void watchers.delete(watcher)
  }

  #request(message: (id: number) => FrameMessage): Promise<Reply> {
    return new Promise((resolve) => {
      const id = ++this.#count
      this.#waiting.set(id, resolve)
      this.send(message(id))
    })
  }

  #settle(id: number, { status, body }: Reply): void {
    this.#waiting.get(id)?.({ status, body })
    this.#waiting.delete(id)
  }
}

export const port = new Port()

/** What a response says went wrong. */
export function problemOf({ status, body }: Reply): Error {
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly message?: unknown } }
    if (typeof error?.message === 'string') return new Error(error.message)
  } catch {
    // No JSON: a proxy has answered.
  }
  return new Error(`the server responded with ${status}`)
}
