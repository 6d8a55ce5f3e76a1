import { errorsIn, issueLine } from '@amodal/sdk/files'
import {
  announce,
  messageOf,
  SHARED_TENANT,
  type Agent,
  type BundleIssue,
  type Generation,
  type Logger,
} from '@amodal/sdk'

/** The files are read after this many debounce intervals, even if changes continue. */
const PAUSES = 10
/** ms after which an edit of pages alone is over: people look at a page while they write it. */
const PAGES_MS = 40
/** Paths of one edit that are listed in an event. */
const MOST_LISTED_PATHS = 20

interface Parts {
  readonly agent: Agent
  readonly log: Logger
  readonly generation: () => Generation
  readonly debounceMs: number
  /** Before the files are read. */
  readonly prepare: () => Promise<void>
}

/** Loads the agent's files once a change is over, and reports the result. */
export class Reloads {
  readonly #parts: Parts
  readonly #paths = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #since: number | undefined
  #loading: AbortController | undefined
  #last: Promise<void> = Promise.resolve()
  #closed = false
  /** The system did not say what changed. */
  #isUnnamed = false
  /** What was last reported about edits that are not in use. */
  #told = ''

  constructor(parts: Parts) {
    this.#parts = parts
  }

  changed(path: string | undefined): void {
    if (this.#closed) return
    if (path === undefined) this.#isUnnamed = true
    else this.#paths.add(path)
    const now = performance.now()
    this.#since ??= now
    const pause = this.#pause()
    const remainingMs = this.#since + PAUSES * pause - now
    // The files changed while they were being read.
    if (remainingMs > 0) this.#loading?.abort()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        this.#last = this.#last
          .then(() => this.#load())
          .catch((cause: unknown) =>
            this.#parts.log.error('files.failed', { message: messageOf(cause) }),
          )
      },
      Math.max(0, Math.min(pause, remainingMs)),
    )
    this.#timer.unref()
  }

  /** ms without a change after which the edit is over. */
  #pause(): number {
    const { debounceMs } = this.#parts
    const isPages =
      this.#paths.size > 0 && [...this.#paths].every((path) => path.startsWith('pages/'))
    return isPages && !this.#isUnnamed ? Math.min(PAGES_MS, debounceMs) : debounceMs
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#loading?.abort()
    await this.#last
  }

  async #load(): Promise<void> {
    if (this.#closed) return
    const { agent, log, prepare } = this.#parts
    const paths = [...this.#paths]
    const loading = (this.#loading = new AbortController())
    await prepare()
    const begun = performance.now()
    const loaded = await agent.reloadBundle(loading.signal)
    this.#loading = undefined
    if (!loaded.ok && loading.signal.aborted) return // it changed meanwhile, and is read again
    this.#since = undefined
    this.#isUnnamed = false
    for (const path of paths) this.#paths.delete(path)
    const issues = loaded.ok ? (loaded.value.held?.issues ?? []) : problemsOf(loaded.error)
    if (loaded.ok)
      log.info('files.loaded', {
        paths: paths.slice(0, MOST_LISTED_PATHS),
        hash: loaded.value.hash.slice(0, 12),
        ms: Math.round(performance.now() - begun),
      })
    for (const path of paths.length === 0 ? [undefined] : paths.slice(0, MOST_LISTED_PATHS)) {
      const problem =
        issues.find(({ file }) => file === path) ?? (loaded.ok ? undefined : issues[0])
      announce(
        this.#parts.generation(),
        {
          type: 'files_changed',
          ...(path !== undefined && { path }),
          ...(problem && { problem: issueLine(problem) }),
        },
        { tenant: SHARED_TENANT },
      )
    }
    this.#tell(issues)
  }

  #tell(issues: readonly BundleIssue[]): void {
    const lines = issues.map(issueLine)
    const all = lines.join('\n')
    if (all !== '' && all !== this.#told)
      for (const problem of lines)
        this.#parts.log.warn('files.held', {
          problem,
          note: 'the files from before this edit are in use',
        })
    if (all === '' && this.#told !== '') this.#parts.log.info('files.well', {})
    this.#told = all
  }
}

function problemsOf({
  code,
  message,
  issues = [],
}: {
  readonly code: string
  readonly message: string
  readonly issues?: readonly BundleIssue[]
}): readonly BundleIssue[] {
  const errors = errorsIn(issues)
  return errors.length > 0 ? errors : [{ severity: 'error', code, message }]
}
