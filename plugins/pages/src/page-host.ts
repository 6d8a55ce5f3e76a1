import type { FrameMessage, HostMessage, PageInfo, PageProblem, StoreRead } from './protocol.ts'

/** ms after which a frame that does not answer is shown as stuck. */
const SILENT_MS = 3_000
const PING_MS = 1_000
/** Requests of one page at a time; more wait in the page. */
const MOST_READS = 16
/** Errors of one load that are sent to the server. */
const MOST_REPORTS = 10

export interface PageHostOptions {
  readonly frame: HTMLIFrameElement
  /** Sends a request with the credential of the person who looks. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  /** Begins a conversation, after the person has agreed; rejects where they did not. */
  readonly invoke: (skill: string, query: string) => Promise<{ readonly sessionId: string }>
  /** A link of the page was followed. */
  readonly open: (href: string) => void
  /** The page has failed, or something of it. */
  readonly failed: (problem: PageProblem, isFatal: boolean) => void
  /** This version of the page is shown. */
  readonly shown: (hash: string) => void
  /** Whether the page answers. */
  readonly answering: (isAnswering: boolean) => void
}

type Params = Readonly<Record<string, string | number | boolean>>
interface Target {
  readonly page: PageInfo
  readonly params: Params
}

/**
 * The window's side of a page: it hands code into the sandboxed frame, and does for it what the
 * page declares and nothing else. The frame never gets the credential.
 */
export class PageHost {
  readonly #options: PageHostOptions
  readonly #life = new AbortController()
  #port: MessagePort | undefined
  #theme: 'light' | 'dark' = 'light'
  #target: Target | undefined
  #reads = 0
  #waiting: (() => void)[] = []
  #reports = 0
  #lastAlive = 0
  #isAnswering = true
  #loads = 0

  constructor(options: PageHostOptions) {
    this.#options = options
    const { signal } = this.#life
    addEventListener('message', (event: MessageEvent<unknown>) => this.#connect(event), { signal })
    const timer = setInterval(() => this.#ping(), PING_MS)
    signal.addEventListener('abort', () => clearInterval(timer))
  }

  /** Shows a page, or the next version of it. */
  show(page: PageInfo, params: Params): void {
    const before = this.#target
    this.#target = { page, params }
    const isSame =
      before?.page.build?.hash === page.build?.hash &&
      JSON.stringify(before?.params) === JSON.stringify(params)
    if (!isSame && this.#port) void this.#load()
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.#theme = theme
    this.#send({ op: 'theme', theme })
  }

  /** Documents of a store have changed. */
  changed(store: string): void {
    if (this.#target?.page.stores.includes(store) === true) this.#send({ op: 'changed', store })
  }

  close(): void {
    this.#life.abort()
    this.#port?.close()
    this.#port = undefined
  }

  #send(message: HostMessage): void {
    this.#port?.postMessage(message)
  }

  /** The frame's first script has run; nothing of the page has. */
  #connect({ source, data }: MessageEvent<unknown>): void {
    const { frame } = this.#options
    const isReady = typeof data === 'object' && data !== null && 'amodal' in data
    if (!isReady || source !== frame.contentWindow || !frame.contentWindow) return
    this.#port?.close()
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data: message }: MessageEvent<FrameMessage>) => {
      if (this.#port === port1) this.#received(message)
    }
    this.#port = port1
    this.#lastAlive = performance.now()
    // A sandboxed document has no origin that could be named.
    frame.contentWindow.postMessage({ amodal: 'port' }, '*', [port2])
    this.#send({ op: 'theme', theme: this.#theme })
    void this.#load()
  }

  async #load(): Promise<void> {
    const target = this.#target
    const build = target?.page.build
    if (!target || !build) return
    const load = ++this.#loads
    try {
      const response = await this.#options.request(build.script)
      const code = await response.text()
      // A newer version was asked for meanwhile.
      if (load !== this.#loads || this.#life.signal.aborted) return
      if (!response.ok) throw new Error(`the script of the page is not there (${response.status})`)
      this.#reports = 0
      const { hash, shape } = build
      const { name } = target.page
      this.#send({ op: 'load', name, hash, shape, code, params: target.params })
    } catch (cause) {
      if (load === this.#loads)
        this.#options.failed(
          { message: cause instanceof Error ? cause.message : String(cause) },
          true,
        )
    }
  }

  #received(message: FrameMessage): void {
    this.#alive()
    switch (message.op) {
      case 'read':
        return void this.#read(message)
      case 'invoke':
        return void this.#invoke(message)
      case 'open':
        return this.#options.open(String(message.href))
      case 'shown':
        return this.#options.shown(message.hash)
      case 'failed':
        return void this.#failed(message)
      case 'alive':
        return undefined
      default:
        return message satisfies never
    }
  }

  /** The page's name is the window's, so that one page cannot read as another. */
  async #read({ id, store, key, query }: FrameMessage & { readonly op: 'read' }): Promise<void> {
    const { page } = this.#target ?? {}
    if (!page) return
    while (this.#reads >= MOST_READS)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#reads++
    try {
      const response = await this.#options.request(pathOf(page.name, { store, key, query }))
      this.#send({ op: 'reply', id, status: response.status, body: await response.text() })
    } catch (cause) {
      this.#send(refusal(id, 400, cause))
    } finally {
      this.#reads--
      this.#waiting.shift()?.()
    }
  }

  async #invoke(message: FrameMessage & { readonly op: 'invoke' }): Promise<void> {
    const { id, skill, query } = message
    const { page } = this.#target ?? {}
    try {
      if (page?.skills.includes(String(skill)) !== true)
        throw new Error(`this page does not name the skill "${String(skill)}"`)
      const begun = await this.#options.invoke(String(skill), String(query))
      this.#send({ op: 'reply', id, status: 200, body: JSON.stringify(begun) })
    } catch (cause) {
      this.#send(refusal(id, 409, cause))
    }
  }

  async #failed(report: FrameMessage & { readonly op: 'failed' }): Promise<void> {
    const { page } = this.#target ?? {}
    if (!page || ++this.#reports > MOST_REPORTS) return
    const load = this.#loads
    const message = String(report.message).slice(0, 10_000)
    const problem = await this.#options
      .request(`/api/pages/${encodeURIComponent(page.name)}/errors`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message, stack: String(report.stack).slice(0, 50_000) }),
      })
      .then(async (response) =>
        response.ok
          ? ((await response.json()) as { readonly problem: PageProblem }).problem
          : { message },
      )
      .catch(() => ({ message })) // it is shown without its place
    if (load === this.#loads) this.#options.failed(problem, report.fatal)
  }

  #alive(): void {
    this.#lastAlive = performance.now()
    if (this.#isAnswering) return
    this.#isAnswering = true
    this.#options.answering(true)
  }

  #ping(): void {
    if (!this.#port) return
    // Timers of a hidden tab are slow, and so are those of its frames.
    if (document.visibilityState === 'hidden') this.#lastAlive = performance.now()
    this.#send({ op: 'ping' })
    if (!this.#isAnswering || performance.now() - this.#lastAlive < SILENT_MS) return
    this.#isAnswering = false
    this.#options.answering(false)
  }
}

/** What a page may say of a list. Whose documents they are is not among it. */
const QUERY = ['filter', 'sort', 'limit', 'offset'] as const

/** @throws where a part of the path would lead elsewhere */
function pathOf(
  page: string,
  { store, key, query }: { readonly [part in keyof StoreRead]: unknown },
): string {
  const parts = [store, ...(key === undefined ? [] : [key])].map((part) => {
    const text = String(part)
    if (text === '' || text === '.' || text === '..')
      throw new Error(`"${text}" is no name of a store or a document`)
    return encodeURIComponent(text)
  })
  const given = new URLSearchParams(typeof query === 'string' ? query : '')
  const allowed = QUERY.flatMap((name) => {
    const value = given.get(name)
    return value === null ? [] : [[name, value]]
  })
  const path = `/api/pages/${encodeURIComponent(page)}/stores/${parts.join('/')}`
  return allowed.length === 0 ? path : `${path}?${new URLSearchParams(allowed).toString()}`
}

const refusal = (id: number, status: number, cause: unknown): HostMessage => ({
  op: 'reply',
  id,
  status,
  body: JSON.stringify({
    error: { message: cause instanceof Error ? cause.message : String(cause) },
  }),
})
