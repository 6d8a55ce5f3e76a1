import { dirname, join } from 'node:path'
import {
  err,
  failure,
  hashOf,
  isObject,
  ok,
  timeLimit,
  type AgentBundle,
  type BundleFile,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import type { AgentCode, ConditionContext } from '@amodal/plugin-subagents/tokens'
import { isSharedCode } from './candidates.ts'
import { digestOf } from './digest.ts'
import { definitionIn } from './examine.ts'
import { sharedIn, sourcesOf, type Code, type Handlers } from './handlers.ts'
import type { Isolation } from './isolation.ts'
import type { Helper } from './process/handler-process.ts'
import type { HandlerPool } from './process/pool.ts'

const READ_MS = 30_000

/** A condition reaches nothing. */
const NO_HELP: Helper = {
  request: () =>
    Promise.resolve(err(failure('TOOL_DENIED', 'a condition decides by its context alone'))),
  notify: () => undefined,
}

/** Runs `agent.ts` files in the sandbox of handlers. */
export class SandboxedAgentCode implements AgentCode {
  readonly #handlers: Handlers
  readonly #isolation: Isolation
  readonly #pool: HandlerPool
  /** Digests of the code as it was read last, by its path on the disk. */
  readonly #digests = new Map<string, string>()

  constructor(isolation: Isolation, pool: HandlerPool) {
    this.#handlers = isolation.handlers
    this.#isolation = isolation
    this.#pool = pool
  }

  /** Of the code that was read last. */
  get digests(): Iterable<string> {
    return this.#digests.values()
  }

  async read(bundle: AgentBundle, { path }: BundleFile): Promise<Result<JsonObject, Failure>> {
    const { root } = bundle
    if (root === undefined) return err(failure('UNREADABLE', 'this agent has no folder'))
    await this.#isolation.admit(bundle, [path])
    const code = codeOf(bundle, path)
    const digest = await digestOf(sourcesOf(root, code))
    if (!digest.ok) return digest
    const signal = timeLimit(READ_MS, `reading ${path}`)
    const read = await definitionIn(root, code, this.#handlers, signal)
    if (!read.ok) return read
    this.#digests.set(join(root, path), digest.value)
    return ok(read.value ?? {})
  }

  async evaluate(
    bundle: AgentBundle,
    file: string,
    ctx: ConditionContext,
    signal: AbortSignal,
  ): Promise<Result<readonly string[], Failure>> {
    const { root } = bundle
    const digest = root === undefined ? undefined : this.#digests.get(join(root, file))
    if (root === undefined || digest === undefined)
      return err(failure('UNREADABLE', `${file} was not read`))
    const code = codeOf(bundle, file)
    const outcome = await this.#pool.run(
      {
        key: hashOf([digest, file, ctx.scopeId]),
        digest,
        start: (starting) =>
          this.#handlers.start(
            root,
            code,
            {},
            {
              loaded: { digest, files: (bundle.unrestricted ?? bundle).files },
              signal: starting,
            },
          ),
      },
      { params: { ctx: { ...ctx } }, context: { caller: { source: '' }, offers: [] } },
      NO_HELP,
      signal,
    )
    if (!outcome.ok) return outcome
    const { value } = outcome
    if (value.kind !== 'result' || !isObject(value.value))
      return err(failure('TOOL_FAILED', `the conditions of ${file} gave no answer`))
    return ok(Object.entries(value.value).flatMap(([at, held]) => (held === true ? [at] : [])))
  }
}

const codeOf = ({ files }: AgentBundle, path: string): Code => ({
  entry: path,
  folder: dirname(path),
  form: 'agent',
  language: 'typescript',
  shared: sharedIn(files.filter((file) => isSharedCode(file.path))),
})
