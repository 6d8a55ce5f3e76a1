import { randomUUID } from 'node:crypto'
import { sessionId, tenantId, type Database, type SessionRef } from '@amodal/sdk'

export const CHANNEL = 'sessions'

/** Postgres refuses a longer payload (8,000 bytes), and with it the statement that carries it. */
const MOST_BYTES = 7_500

type ChangeListener = (ref: SessionRef) => void

/**
 * Notifies other instances of sessions that changed here, and local watchers of sessions that
 * changed elsewhere.
 */
export class ChangeNotifications {
  readonly #id = randomUUID()
  readonly #database: Pick<Database, 'listen'>
  readonly #watchers = new Set<ChangeListener>()
  #end: (() => void) | undefined

  constructor(database: Pick<Database, 'listen'>) {
    this.#database = database
  }

  /** Payloads that name these sessions, as few as possible. */
  payloads(refs: readonly SessionRef[]): readonly string[] {
    const payloads: string[] = []
    let lanes: string[] = []
    let bytes = 0
    const close = (): void => {
      if (lanes.length > 0) payloads.push(`{"from":"${this.#id}","lanes":[${lanes.join(',')}]}`)
      lanes = []
      bytes = 0
    }
    for (const { tenant, session } of refs) {
      const lane = JSON.stringify([tenant, session])
      const size = Buffer.byteLength(lane) + 1
      if (bytes + size > MOST_BYTES) close()
      lanes.push(lane)
      bytes += size
    }
    close()
    return payloads
  }

  watch(listener: ChangeListener): () => void {
    const watcher: ChangeListener = (ref) => listener(ref)
    this.#watchers.add(watcher)
    this.#end ??= this.#database.listen(CHANNEL, (payload) => this.#receive(payload))
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size === 0) this.close()
    }
  }

  close(): void {
    this.#watchers.clear()
    this.#end?.()
    this.#end = undefined
  }

  #receive(payload: string): void {
    const { from, lanes } = read(payload)
    if (from === this.#id) return
    for (const ref of lanes) for (const watcher of [...this.#watchers]) watcher(ref)
  }
}

/** An invalid payload is ignored: any database client may notify on this channel. */
function read(payload: string): { readonly from?: unknown; readonly lanes: readonly SessionRef[] } {
  try {
    const { from, lanes } = JSON.parse(payload) as {
      readonly from?: unknown
      readonly lanes?: unknown
    }
    if (!Array.isArray(lanes)) return { lanes: [] }
    return {
      from,
      lanes: lanes.flatMap((lane: unknown) => {
        const [tenant, session] = Array.isArray(lane) ? (lane as readonly unknown[]) : []
        return typeof tenant === 'string' && typeof session === 'string'
          ? [{ tenant: tenantId(tenant), session: sessionId(session) }]
          : []
      }),
    }
  } catch {
    return { lanes: [] }
  }
}
