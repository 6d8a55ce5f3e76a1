import { randomUUID } from 'node:crypto'
import { failure, type Failure } from '../errors.ts'
import type { AgentEvent } from '../events.ts'
import type { Placed } from '../journal/entry.ts'
import { project } from '../journal/project.ts'
import { instanceId, type PrincipalId, type TenantId } from '../ids.ts'
import type { Kernel } from '../kernel.ts'
import type { Agent, AgentFace } from '../ports/agent.ts'
import { BundleSource, type AgentBundle, type BundleIssue } from '../ports/bundle.ts'
import { lateLogger, silentLogger } from '../ports/log.ts'
import { Models, type ModelStatus } from '../ports/model.ts'
import { SessionStore, type LaneRef } from '../ports/session-store.ts'
import { err, ok, type Result } from '../result.ts'
import { deadline, systemClock, type Clock } from '../time.ts'
import { Face } from './agent-face.ts'
import { chooseModel, CompileCache, providerOf } from './compile.ts'
import { emitted } from './emit.ts'
import { News, type ReaderParts } from './reader.ts'
import { ReplayContext } from './replay-context.ts'
import { DEFAULT_SETTINGS, type RuntimeSettings } from './settings.ts'
import { SYSTEM } from './state.ts'
import { laneKey, TurnQueue, type Acquired } from './turn-queue.ts'

type BundleFailure = Failure & { readonly issues?: readonly BundleIssue[] }

/** The running agent over all generations of a kernel: its bundle, its turns, its readers. */
export class AgentRuntime implements Agent, ReaderParts {
  readonly settings: RuntimeSettings
  readonly clock: Clock
  readonly owner = instanceId(`i_${randomUUID()}`)
  readonly queue: TurnQueue
  readonly compile = new CompileCache()
  readonly news_ = new News()
  #kernel: Kernel | undefined
  #bundle: AgentBundle | undefined
  #problem: Failure | undefined
  #ready = false
  #closed = false
  #unwatch: (() => void) | undefined
  #expiry: ReturnType<typeof setInterval> | undefined

  constructor(settings: Partial<RuntimeSettings> = {}, clock: Clock = systemClock) {
    this.settings = { ...DEFAULT_SETTINGS, ...settings }
    this.clock = clock
    this.queue = new TurnQueue({
      owner: this.owner, clock, settings: this.settings, compile: this.compile,
      store: () => this.store(), acquire: () => this.acquire(), log: lateLogger(() => this.#kernel?.current().log ?? silentLogger), changed: (ref) => this.news_.tell(laneKey(ref)),
    })
  }

  get closed(): boolean { return this.#closed }
  /** Why nothing can be asked of it now. */
  get unavailable(): Failure | undefined {
    if (this.#closed) return failure('KERNEL_CLOSED', 'the server is stopping', { status: 503 })
    return this.#kernel ? undefined : failure('KERNEL_CLOSED', 'the server is starting', { status: 503 })
  }
  get kernel(): Kernel {
    if (!this.#kernel) throw new Error('the agent was asked for before its kernel was made')
    return this.#kernel
  }

  /** Only for a look at what is wired: nothing is loaded or served. */
  attach(kernel: Kernel): Result<void, BundleFailure> {
    this.#kernel = kernel
    return ok(undefined)
  }

  /** Loads the agent's files, then begins to serve: what a crash left is picked up in the background. */
  async start(kernel: Kernel): Promise<Result<void, BundleFailure>> {
    this.attach(kernel)
    if (kernel.scope.has(BundleSource)) {
      const loaded = await this.reloadBundle()
      if (!loaded.ok) return loaded
    }
    if (!kernel.scope.has(SessionStore)) return ok(undefined)
    this.#unwatch = this.store().watch((ref) => {
      this.news_.tell(laneKey(ref))
      if (!this.store().exclusive) void this.queue.poke(ref) // a control that arrived here is known here
    })
    this.queue.start()
    void this.queue.sweep(this.store().exclusive).then(() => { this.#ready = true })
    const { sessionTtlMs } = this.settings
    if (sessionTtlMs > 0) {
      this.#expiry = setInterval(() => void this.#expire(), Math.min(60_000, Math.max(100, sessionTtlMs / 4)))
      this.#expiry.unref?.()
    }
    return ok(undefined)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#expiry)
    this.#unwatch?.()
    if (this.#kernel?.scope.has(SessionStore)) await this.queue.close()
    this.news_.tellAll()
  }

  as({ tenant, principal }: { readonly tenant: TenantId; readonly principal: PrincipalId }): AgentFace {
    return new Face(this, tenant, principal)
  }

  bundle(): AgentBundle | undefined { return this.#bundle }

  async reloadBundle(signal?: AbortSignal): Promise<Result<AgentBundle, BundleFailure>> {
    const generation = this.kernel.current()
    const source = generation.scope.find(BundleSource)
    if (!source) return err(failure('BAD_REPO', 'no plugin provides the agent\'s files (bundle-source)'))
    const limit = deadline(signal, 30_000)
    const loaded = await source.load(limit.signal)
    limit.clear()
    if (!loaded.ok) return this.#refuse(loaded.error)
    const merged = await generation.hooks.bundle.load.call(loaded.value, source)
    if (!merged.ok) return this.#refuse(merged.error.toFailure())
    const issues: BundleIssue[] = [...merged.value.issues]
    const checked = await generation.hooks.bundle.check.call(merged.value, issues)
    if (!checked.ok) return this.#refuse(checked.error.toFailure())
    this.#problem = undefined
    this.#bundle = Object.freeze({ ...merged.value, issues })
    return ok(this.#bundle)
  }

  #refuse(problem: BundleFailure): Result<never, BundleFailure> {
    this.#problem = problem
    return err(problem)
  }

  async compiled(signal?: AbortSignal): ReturnType<Agent['compiled']> {
    if (this.unavailable) return err(this.unavailable)
    if (signal?.aborted) return err(failure('TIMEOUT', 'the request was aborted'))
    const { generation, bundle, release } = await this.acquire()
    const made = await this.compile.compile(generation, bundle, undefined)
    release()
    if (!made.ok) return made
    const config = chooseModel(generation, bundle, 'main')
    const provider = config && providerOf(generation, config)
    const notice = provider?.ok ? provider.value.status?.().notice : undefined
    return ok({ ...made.value, model: config && { provider: config.provider, model: config.model, ...(notice === undefined ? {} : { notice }) } })
  }

  models(): readonly ModelStatus[] {
    if (!this.#kernel) return []
    return [...this.kernel.current().registry(Models).values()].flatMap((provider) => provider.status?.() ?? [])
  }

  status(): ReturnType<Agent['status']> {
    if (!this.#kernel) return { active: 0, resident: 0, ready: false }
    return { active: this.queue.runs().length, resident: this.queue.resident, ready: this.#ready, ...(this.#problem ? { problem: this.#problem } : {}) }
  }

  runs(): ReturnType<Agent['runs']> {
    return this.queue.runs().map(({ ref, turn, state }) => ({ session: ref.session, run: turn.run, state }))
  }

  // What faces and readers need.

  store(): SessionStore { return this.kernel.scope.get(SessionStore) }

  async acquire(): Promise<Acquired> {
    return { ...await this.kernel.acquire(), bundle: this.#bundle ?? EMPTY_BUNDLE }
  }

  live(ref: LaneRef): ReturnType<TurnQueue['live']> { return this.queue.live(ref) }
  news(ref: LaneRef, ms: number, signal: AbortSignal): Promise<void> { return this.news_.wait(laneKey(ref), ms, signal) }

  shown(ref: LaneRef, entry: Placed): readonly AgentEvent[] {
    const events = project(entry, false)
    const generation = this.kernel.current()
    return generation.hooks.event.emit.tapped ? emitted(generation.hooks, events, new ReplayContext(generation, this.#bundle ?? EMPTY_BUNDLE, ref, entry)) : events
  }

  async #expire(): Promise<void> {
    const limit = deadline(undefined, this.settings.storeMs)
    const gone = await this.store().expire(this.settings.sessionTtlMs, 200, limit.signal)
    limit.clear()
    if (!gone.ok) return
    const { session } = this.kernel.current().hooks
    for (const [reason, refs] of Object.entries(gone.value)) {
      for (const ref of refs) {
        this.queue.forget(ref)
        if (session.close.tapped) void session.close.call({ ...ref, principal: SYSTEM }, reason)
      }
    }
  }
}

/** An agent without files: it has no name and knows nothing, and still answers. */
export const EMPTY_BUNDLE: AgentBundle = Object.freeze({
  hash: 'empty', root: undefined, manifest: { name: 'agent', version: '0.0.0', models: {}, limits: {}, raw: {} }, instructions: undefined,
  skills: [], knowledge: [], stores: [], files: [], references: [], issues: [], parts: {},
})
