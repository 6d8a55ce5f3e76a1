import {
  err,
  failure,
  ok,
  PluginError,
  type AgentBundle,
  type Failure,
  type Logger,
  type Result,
} from '@amodal/sdk'
import { Handlers } from './handlers.ts'
import type { ProcessLimits } from './process/handler-process.ts'
import { ATTEMPTS, SANDBOXES, type Sandbox } from './process/levels.ts'
import { Launcher, type Machine } from './process/launcher.ts'
import type { Proof } from './process/proof.ts'

export interface IsolationOptions {
  /**
   * `required`: code runs only if isolation is proved. `none`: isolation was waived by the
   * operator.
   */
  readonly isolation: 'required' | 'wanted' | 'none'
  readonly sandbox: 'auto' | Sandbox
  readonly network: boolean
  readonly users: number
  readonly memoryMb: number
  readonly path: () => string
}

/** The sandbox that isolates handlers on this machine, and the proof of it. */
export class Isolation {
  readonly handlers: Handlers
  readonly options: IsolationOptions
  readonly #proofs = new Map<Sandbox, Promise<Result<Proof, Failure>>>()
  readonly #closing = new AbortController()
  #root: string | undefined
  #proof: Result<Proof, Failure> | undefined

  constructor(options: IsolationOptions, limits: ProcessLimits, log: Logger) {
    const { isolation, sandbox, network, users, memoryMb, path } = options
    this.options = options
    this.handlers = new Handlers(
      new Launcher({
        sandboxes: sandboxesOf(isolation, sandbox),
        network,
        users,
        memoryMb: memoryMb * 2,
        path,
        found: (one) => log.info('handlers.sandbox', { sandbox: one }),
        ...(isolation === 'required' && { accept: (machine) => this.#accept(machine) }),
      }),
      limits,
      memoryMb,
    )
  }

  /** The proof, as far as it is known by now. */
  get known(): Result<Proof, Failure> | undefined {
    return this.#proof
  }

  /** Has the proof try the files of this agent, too. */
  protect({ root }: AgentBundle): void {
    this.#root = root
  }

  /** Refuses code that is not isolated, before any of it runs. */
  async admit(bundle: AgentBundle, code: readonly string[]): Promise<void> {
    this.protect(bundle)
    if (code.length === 0) return
    const found = await this.sandbox()
    if (found.ok) return
    const some =
      code.length > 3
        ? `${code.slice(0, 3).join(', ')} and ${code.length - 3} more`
        : code.join(', ')
    throw new PluginError(
      'tools-custom',
      'hook',
      'bundle.load',
      new Error(
        `this agent has code of its own (${some}), and nothing on this machine keeps it apart from the server. ${found.error.message}. ` +
          'Install bubblewrap, or util-linux on a kernel that lets this user make namespaces; in a container that has nothing else in it, start the server as root and set "sandbox": "container" for tools-custom in amodal.json; ' +
          'to let the code reach all that the server can, set "isolation": "none" there',
        { cause: found.error },
      ),
      'NOT_ISOLATED',
    )
  }

  /** Whether code may run: where isolation is required, only in a sandbox whose proof holds. */
  async sandbox(): Promise<Result<void, Failure>> {
    if (this.options.isolation !== 'required') return ok(undefined)
    const found = await this.handlers.launcher.sandbox()
    return found.ok ? ok(undefined) : found
  }

  /** Tries what handlers run in, once; `undefined` root tries no files of an agent. */
  async prove(root = this.#root): Promise<Result<Proof, Failure>> {
    this.#root = root
    const machine = await this.handlers.launcher.machine()
    this.#proof = machine.ok ? await this.#proofOf(machine.value) : machine
    return this.#proof
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server stops'))
    await Promise.allSettled(this.#proofs.values())
    await this.handlers.launcher.settled()
  }

  async #accept(machine: Machine): Promise<Result<void, Failure>> {
    const proof = await this.#proofOf(machine)
    if (!proof.ok) return proof
    this.#proof = proof
    return proof.value.missing.length === 0
      ? ok(undefined)
      : err(
          failure(
            'NOT_ISOLATED',
            `${machine.sandbox}: from inside, an attempt could ${proof.value.missing.map((name) => ATTEMPTS[name]).join(', ')}`,
          ),
        )
  }

  #proofOf(machine: Machine): Promise<Result<Proof, Failure>> {
    const known = this.#proofs.get(machine.sandbox)
    if (known) return known
    const made = import('./process/proof.ts').then(({ prove }) =>
      prove(
        machine,
        this.options.network,
        this.#root,
        (one, signal) => this.handlers.startAttempts(one, signal),
        this.#closing.signal,
      ),
    )
    this.#proofs.set(machine.sandbox, made)
    return made
  }
}

/**
 * What is tried, in this order. Where isolation is required, a bare process is tried too, so that
 * the refusal says what it could do.
 */
function sandboxesOf(
  isolation: IsolationOptions['isolation'],
  sandbox: IsolationOptions['sandbox'],
): readonly Sandbox[] {
  if (sandbox !== 'auto') return [sandbox]
  return isolation === 'required'
    ? SANDBOXES.filter((one) => one !== 'container').toReversed()
    : ['bubblewrap', 'process']
}
