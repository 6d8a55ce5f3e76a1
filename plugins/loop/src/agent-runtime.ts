import {
  type Agent,
  type AgentBundle,
  type AgentEvent,
  type AgentClient,
  type AgentHooks,
  announce,
  type Audience,
  type BundleFailure,
  BundleSource,
  type Caller,
  chooseModel,
  type Clock,
  deadline,
  err,
  type ExamineBundle,
  failure,
  type Failure,
  type Generation,
  type HealthFact,
  hooksOf,
  instanceId,
  type SessionRef,
  type Logger,
  ModelCooldowns,
  Models,
  type ModelStatus,
  ok,
  type SequencedEntry,
  principalId,
  providerOf,
  type Result,
  type RuntimeEvent,
  Sealer,
  seenBy,
  SessionStore,
  SHARED_TENANT,
  timeLimit,
  type ModelConfig,
  type ToolSchema,
  type Compilation,
} from '@amodal/sdk'
import { issuesTold } from '@amodal/sdk/files'
import { callStore, defined, emitted, isSubagentSession, newKey } from '@amodal/sdk/loop'
import { BoundClient } from './client/bound-client.ts'
import { examineBundle, heldProblem } from './bundle-check.ts'
import { CompileCache } from './tool-calls/compile.ts'
import { retentionOf } from './sessions/retention.ts'
import { SessionExpiry } from './sessions/session-expiry.ts'
import { sessionKey } from './sessions/session-key.ts'
import { project } from './streams/project.ts'
import { ChangeSignals } from './streams/change-signals.ts'
import { PreviewContext, ReplayContext } from './run/replay-context.ts'
import type { RunningAgent } from './running-agent.ts'
import type { RuntimeSettings } from './settings.ts'
import type { TurnResources } from './leases/environment.ts'
import { OwnedSessions } from './leases/owned-sessions.ts'

/** The time limit of all taps of a preview, unless the caller has a signal. */
const PREVIEW_MS = 30_000

/** The running agent over all generations: its bundle, its turns, its readers. */
export class AgentRuntime implements Agent, RunningAgent {
  readonly settings: RuntimeSettings
  readonly clock: Clock
  readonly owner = instanceId(`i_${newKey()}`)
  readonly ownedSessions: OwnedSessions
  readonly compile = new CompileCache()
  readonly changes = new ChangeSignals()
  readonly generation: () => Generation
  readonly #expiry: SessionExpiry
  /**
   * The store of the generation that started this runtime: replacing the store replaces the
   * runtime.
   */
  #store: SessionStore | undefined
  /** One table for each generation; it is released with the generation. */
  readonly #hooks = new WeakMap<Generation, AgentHooks>()
  #started = false
  #bundle: AgentBundle | undefined
  #problem: Failure | undefined
  /** One load at a time: each starts from the bundle that the previous one put into use. */
  #loads: Promise<unknown> = Promise.resolve()
  #ready = false
  #closed = false
  #closing: Promise<void> | undefined
  #unwatch: (() => void) | undefined

  constructor(settings: RuntimeSettings, clock: Clock, log: Logger, generation: () => Generation) {
    this.settings = settings
    this.clock = clock
    this.generation = generation
    this.ownedSessions = new OwnedSessions({
      owner: this.owner,
      clock,
      settings: this.settings,
      compile: this.compile,
      log,
      store: () => this.store(),
      sealer: () => this.generation().scope.find(Sealer),
      acquireResources: () => this.acquireResources(),
      depth: () => this.#bundle?.manifest.limits.maxHistory ?? Infinity,
      closing: () => this.generation().signal.aborted,
      changed: (ref) => this.changes.wake(sessionKey(ref)),
      runEndedOrParked: ({ tenant, session }, principal) =>
        this.announce(
          { type: 'session_updated', sessionId: session, appId: this.app },
          { tenant, principal },
        ),
      troubled: (ref) => void this.#announceTroubled(ref),
    })
    this.#expiry = new SessionExpiry({
      retention: retentionOf(settings.retention, settings.sessionTtlMs),
      storeMs: settings.storeMs,
      clock,
      log,
      store: () => this.store(),
      generation,
      hooks: () => this.hooks(),
      forget: (ref) => this.ownedSessions.dropResident(ref),
    })
  }

  get closed(): boolean {
    return this.#closed
  }
  /** Why it accepts no requests now. */
  get unavailable(): Failure | undefined {
    if (this.#closed) return failure('KERNEL_CLOSED', 'the server is stopping')
    return this.#started ? undefined : failure('KERNEL_CLOSED', 'the server is starting')
  }
  /**
   * Loads the agent's files, then begins to serve. Runs that a crash interrupted resume in the
   * background.
   */
  async start(): Promise<Result<void, BundleFailure>> {
    const { scope, id } = this.generation()
    this.#started = true
    if (scope.has(BundleSource)) {
      const loaded = await this.reloadBundle()
      if (!loaded.ok) return loaded
    }
    this.#store = scope.find(SessionStore)
    if (!this.#store) return ok(undefined)
    this.#unwatch = this.#store.watch((ref) => {
      this.changes.wake(sessionKey(ref))
      // a store of this process alone has delivered its controls directly
      if (!this.store().exclusive) void this.ownedSessions.readInbox(ref)
    })
    // Where only this process can reach the storage, every previous owner is lost. After a reload a
    // previous owner may be alive.
    void this.ownedSessions.start(this.store().exclusive && id === 1).then(() => {
      this.#ready = true
    })
    this.#expiry.start()
    return ok(undefined)
  }

  /**
   * Accepts no more work. Resolves once all work has ended or its sessions are returned; every
   * call returns the same promise.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#closed = true
    const expired = this.#expiry.close()
    this.#unwatch?.()
    if (this.#started) await this.ownedSessions.close()
    await expired
    this.changes.wakeAll()
  }

  as(who: Caller): AgentClient {
    return new BoundClient(this, who)
  }

  bundle(): AgentBundle | undefined {
    return this.#bundle
  }

  reloadBundle(signal?: AbortSignal): Promise<Result<AgentBundle, BundleFailure>> {
    const load = this.#loads.then(() => this.#load(signal))
    this.#loads = load.catch(() => undefined) // its caller handles the error
    return load
  }

  async #load(signal: AbortSignal | undefined): Promise<Result<AgentBundle, BundleFailure>> {
    const generation = this.generation()
    const source = generation.scope.find(BundleSource)
    if (!source)
      return err(failure('BAD_REPO', "no plugin provides the agent's files (bundle-source)"))
    const hooks = this.hooks(generation).bundle
    const limit = deadline(signal, 30_000)
    const examined = new WeakSet<AgentBundle>()
    const examine: ExamineBundle = async (candidate, before) => {
      const checked = await examineBundle(candidate, {
        hooks,
        source,
        inUse: this.#bundle ?? before,
      })
      if (checked.ok) examined.add(checked.value)
      return checked
    }
    const loaded = await source.load(limit.signal, examine, this.#bundle === undefined)
    limit.clear()
    const checkedBundle =
      loaded.ok && !examined.has(loaded.value) ? await examine(loaded.value) : loaded
    if (!checkedBundle.ok) {
      // an aborted load is no problem of the files
      if (signal?.aborted !== true) this.#problem = checkedBundle.error
      return checkedBundle
    }
    const bundle = checkedBundle.value
    this.#problem = bundle.held && heldProblem(bundle.held)
    const isOther = this.#bundle !== undefined && this.#bundle.hash !== bundle.hash
    this.#bundle = bundle
    if (hooks.used.tapped) hooks.used.call(bundle)
    if (isOther) this.announce({ type: 'manifest_changed' }, { tenant: SHARED_TENANT })
    return checkedBundle
  }

  async compiled(
    signal?: AbortSignal,
    roles?: readonly string[],
    who?: Caller,
  ): ReturnType<Agent['compiled']> {
    if (this.unavailable) return err(this.unavailable)
    if (signal?.aborted) return err(failure('TIMEOUT', 'the request was aborted'))
    const { generation, hooks, bundle, release } = this.acquireResources(roles)
    const preview =
      who &&
      new PreviewContext(
        generation,
        bundle,
        hooks,
        who,
        signal ?? timeLimit(PREVIEW_MS, 'compiling the prompt'),
      )
    const compiled = await this.compile.compile(generation, bundle, preview)
    await preview?.close()
    release()
    if (!compiled.ok) return compiled
    const config = chooseModel(generation, bundle, 'main')
    return ok({
      ...compiled.value,
      model: config && modelStanding(generation, config, compiled.value.tools.schemas),
    })
  }

  models(): readonly ModelStatus[] {
    if (!this.#started) return []
    const generation = this.generation()
    const cooling = [...generation.registry(ModelCooldowns).values()].flatMap((cooldowns) =>
      cooldowns(),
    )
    return [...generation.registry(Models).values()]
      .flatMap((provider) => provider.status?.() ?? [])
      .map((status) => {
        const own = cooling.filter(({ provider }) => provider === status.provider)
        return own.length === 0 ? status : { ...status, cooling: own }
      })
  }

  status(): ReturnType<Agent['status']> {
    if (!this.#started) return { active: 0, resident: 0, ready: false }
    const { size, bytes, limit } = this.ownedSessions.resident
    return {
      active: this.ownedSessions.runs().length,
      resident: size,
      memory: { bytes, limit },
      sessions: this.ownedSessions.counts(),
      ready: this.#ready,
      ...(this.#problem ? { problem: this.#problem } : {}),
    }
  }

  /** Tools of external sources that are excluded because their name is taken, for `GET /health`. */
  toolHealth(): HealthFact {
    const bundle = this.#bundle
    const issues = bundle ? this.compile.nameIssues(this.generation(), bundle) : []
    return { facts: {}, ...(issues.length > 0 && { problem: issuesTold(issues, '') }) }
  }

  /** The state of the session archive, for `GET /health`. */
  archiveHealth(): HealthFact {
    return this.#expiry.health()
  }

  runs(): ReturnType<Agent['runs']> {
    return this.ownedSessions
      .runs()
      .map(({ ref, turn, state }) => ({ ...ref, principal: turn.principal, run: turn.run, state }))
  }

  // What clients and readers need.

  /** The agent's name. */
  get app(): string {
    return (this.#bundle ?? EMPTY_BUNDLE).manifest.name
  }

  /** Announces a change to the watchers of the server. */
  announce(event: RuntimeEvent, audience: Audience): void {
    announce(this.generation(), event, audience)
  }

  store(): SessionStore {
    return this.#store ?? this.generation().scope.get(SessionStore)
  }

  /** @param roles limits the bundle to what these roles may see; without it all files are visible */
  acquireResources(roles?: readonly string[]): TurnResources {
    const generation = this.generation()
    const allFiles = this.#bundle ?? EMPTY_BUNDLE
    const bundle = roles ? seenBy(allFiles, roles, generation.scope) : allFiles
    return { generation, hooks: this.hooks(generation), release: generation.acquire(), bundle }
  }

  hooks(generation = this.generation()): AgentHooks {
    const known = this.#hooks.get(generation)
    if (known) return known
    const hooks = hooksOf(generation)
    this.#hooks.set(generation, hooks)
    return hooks
  }

  live(ref: SessionRef): ReturnType<OwnedSessions['live']> {
    return this.ownedSessions.live(ref)
  }
  nextChange(ref: SessionRef, ms: number, signal: AbortSignal): Promise<void> {
    return this.changes.wait(sessionKey(ref), ms, signal)
  }

  shown(ref: SessionRef, entry: SequencedEntry): readonly AgentEvent[] {
    const events = project(entry, false)
    const generation = this.generation()
    if (!generation.hooks.event.emit.tapped) return events
    const context = new ReplayContext(generation, this.#bundle ?? EMPTY_BUNDLE, ref, entry)
    const emittedEvents = emitted(generation.hooks, events, context)
    void context.close()
    return emittedEvents
  }

  async #announceTroubled(ref: SessionRef): Promise<void> {
    const row = await callStore(this.settings.storeMs, (signal) => this.store().row(ref, signal))
    if (!row.ok || !row.value || isSubagentSession(row.value)) return
    const { title, principal } = row.value
    this.announce(
      { type: 'session_updated', sessionId: ref.session, appId: this.app, title },
      { tenant: ref.tenant, principal: principalId(principal) },
    )
  }
}

/** An agent without files: it has no name and knows nothing, and still answers. */
export const EMPTY_BUNDLE: AgentBundle = Object.freeze({
  hash: 'empty',
  root: undefined,
  manifest: { name: 'agent', version: '0.0.0', models: {}, limits: {}, raw: {} },
  instructions: undefined,
  skills: [],
  knowledge: [],
  stores: [],
  files: [],
  references: [],
  issues: [],
  parts: {},
})

/** The state of a model: its provider's notice, and what it does not support. */
function modelStanding(
  generation: Generation,
  config: ModelConfig,
  schemas: readonly ToolSchema[],
): NonNullable<Compilation['model']> {
  const { provider: name, model } = config
  const provider = providerOf(generation, config)
  if (!provider.ok) return { provider: name, model }
  const unsupported = provider.value.check?.(config, schemas) ?? []
  return defined({
    provider: name,
    model,
    notice: provider.value.status?.().notice,
    unsupported: unsupported.length > 0 ? unsupported : undefined,
  })
}
