import {
  runId,
  type AgentEvent,
  type Frame,
  type FrameCursor,
  type JsonObject,
  type PendingAsk,
  type SequencedEntry,
  type SessionId,
  type SessionRow,
  type TenantId,
} from '@amodal/sdk'

const RUN = runId('run')

/** One session: its entries and frames, and the cursors on them. */
export class SmallSession {
  readonly id: SessionId
  readonly tenant: TenantId
  readonly frames: Frame[] = []
  readonly entries: SequencedEntry[] = []
  readonly keys = new Map<string, { readonly text: string; readonly from: number }>()
  readonly created = Date.now()
  title: string
  tags: readonly string[] = []
  meta: JsonObject = {}
  ask: PendingAsk | undefined
  active = false
  cancelled = false
  fence = 1
  #n = 0
  #wake = Promise.withResolvers<void>()

  constructor(id: SessionId, tenant: TenantId, title: string) {
    this.id = id
    this.tenant = tenant
    this.title = title
  }

  get head(): number {
    return this.entries.length
  }

  tell(...events: readonly AgentEvent[]): void {
    for (const event of events)
      this.frames.push({
        id: { seq: this.head, fencingToken: this.fence, attempt: 1, n: ++this.#n },
        at: Date.now(),
        event,
      })
    this.news()
  }

  news(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }

  keep(entry: JsonObject): void {
    // Entries of a test are written by hand, as the journal would hold them.
    this.entries.push({
      v: 1,
      run: RUN,
      at: Date.now(),
      ...entry,
      seq: this.head + 1,
    } as unknown as SequencedEntry)
  }

  /** Discards the frames since the last entry, as after a crash. */
  crash(): void {
    this.fence++
    this.#n = 0
    this.tell({ type: 'reset', after_seq: this.head })
  }

  cursor(from: number, onOpen: (close: () => void) => void = () => undefined): FrameCursor {
    let at = from
    let closed = false
    const over = (): boolean => closed || (at >= this.frames.length && !this.active)
    const cursor: FrameCursor = {
      take: () => {
        const taken = closed ? [] : this.frames.slice(at)
        at += taken.length
        return taken
      },
      wait: async () => {
        while (!over() && at >= this.frames.length) await this.#wake.promise
        return !closed && at < this.frames.length
      },
      close: () => {
        closed = true
        this.news()
      },
      async *[Symbol.asyncIterator]() {
        while (await cursor.wait()) yield* cursor.take()
      },
    }
    onOpen(cursor.close)
    return cursor
  }

  row(): SessionRow {
    return {
      session: this.id,
      title: this.title,
      tags: this.tags,
      principal: 'local',
      status: 'active',
      messageCount: this.entries.filter(({ kind }) => kind === 'user_message').length,
      inputTokens: 10,
      outputTokens: 5,
      cost: undefined,
      model: 'small',
      provider: undefined,
      lastEnd: undefined,
      parent: undefined,
      forkedAt: undefined,
      createdAt: this.created,
      updatedAt: Date.now(),
      head: this.head,
      state: '{"v":1,"kind":"idle"}',
      kind: 'chat',
      unknownEffects: 0,
      meta: JSON.stringify(this.meta),
    }
  }
}
