import { basename, dirname, join } from 'node:path'
import {
  err,
  failure,
  hashOf,
  ok,
  type Failure,
  type Json,
  type JsonObject,
  type Outbound,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import { z } from 'zod'
import { syntaxProblems } from '../examine.ts'
import type { Code } from '../handlers.ts'
import type { Isolation } from '../isolation.ts'
import type { Outcome } from '../process/handler-process.ts'
import type { HandlerPool } from '../process/pool.ts'
import type {
  CodeFailure,
  CodeSandbox,
  DeclaredContract,
  ProgramSandbox,
  RunToolCall,
  VersionCode,
} from '../tokens.ts'
import { filesOf } from './files-of.ts'
import { RunToolHelper } from './run-tool-helper.ts'
import { typeProblem } from './type-problem.ts'

const Schema = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject)
const Contract = z.object({
  parameters: z.int().nullable(),
  input: Schema.optional(),
  output: Schema.optional(),
})

interface Parts {
  readonly isolation: Isolation
  readonly pool: HandlerPool
  readonly programs: ProgramSandbox
  readonly outbound: Outbound
}

/** Runs `run_tool` of versioned tools in processes of their own. */
export class VersionSandbox implements CodeSandbox {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async describe(
    code: VersionCode,
    signal: AbortSignal,
  ): Promise<Result<DeclaredContract, CodeFailure>> {
    const { isolation } = this.#parts
    const allowed = await isolation.sandbox()
    if (!allowed.ok) return allowed
    const started = await isolation.handlers.start(
      dirname(code.folder),
      codeOf(code),
      {},
      { describe: true, signal },
    )
    if (!started.ok) return err(withOwnPath(started.error, code))
    const { definition } = started.value
    started.value.kill('it has been described')
    const contract = Contract.safeParse(definition)
    if (!contract.success)
      return err(
        failure(
          'TOOL_FAILED',
          `${code.entry}: \`input\` and \`output\` must be JSON Schemas, which are objects`,
        ),
      )
    const { parameters, input, output } = contract.data
    return ok({ parameters, ...(input && { input }), ...(output && { output }) })
  }

  async check(
    code: VersionCode,
    signal: AbortSignal,
  ): Promise<Result<{ readonly types: boolean }, CodeFailure>> {
    const extension = code.language === 'python' ? '.py' : '.ts'
    const files = await filesOf(code.folder, extension)
    if (!files.ok) return files
    const { handlers } = this.#parts.isolation
    const [problem] = await syntaxProblems(code.folder, files.value, code.language, handlers)
    if (problem)
      return err({
        ...failure('TOOL_FAILED', `${problem.file}:${problem.line}: ${problem.message}`),
        file: problem.file,
        line: problem.line,
      })
    if (code.language === 'python') return ok({ types: false })
    return typeProblem(code.folder, files.value, this.#parts.programs, signal)
  }

  async run(
    code: VersionCode,
    tenant: TenantId,
    call: RunToolCall,
    onStatus: (event: JsonObject) => void,
    signal: AbortSignal,
  ): Promise<Result<Json, CodeFailure>> {
    const { isolation, pool, outbound } = this.#parts
    const allowed = await isolation.sandbox()
    if (!allowed.ok) return allowed
    const outcome = await pool.run(
      {
        key: hashOf(['version', code.digest, code.entry, tenant]),
        digest: code.digest,
        start: (starting) =>
          isolation.handlers.start(dirname(code.folder), codeOf(code), {}, { signal: starting }),
      },
      {
        params: {
          tool_input: call.toolInput,
          metadata: call.metadata,
          config: call.config,
          conversation: call.conversation,
          user_variables: call.userVariables,
        },
        context: {
          user: { roles: [] },
          agentId: '',
          scopeId: tenant,
          sessionId: '',
          state: {},
          offers: [],
        },
      },
      new RunToolHelper(outbound, onStatus, signal),
      signal,
    )
    return outcome.ok ? resultOf(outcome.value) : err(withOwnPath(outcome.error, code))
  }
}

function resultOf(outcome: Outcome): Result<Json, CodeFailure> {
  switch (outcome.kind) {
    case 'result':
      return ok(outcome.value)
    case 'threw':
      return err({
        ...failure('TOOL_FAILED', outcome.message),
        ...(outcome.stack !== undefined && { stack: outcome.stack }),
      })
    case 'died':
      return err(failure('TOOL_FAILED', `its process ${outcome.reason}`))
    case 'lapsed':
      return err(failure('LEASE_LOST', 'it was not called: this process lost the session'))
  }
}

const codeOf = ({ folder, entry, language }: VersionCode): Code => ({
  entry: join(basename(folder), entry),
  folder: basename(folder),
  form: 'version',
  language,
  shared: [],
})

/** The file relative to the folder of the version. */
function withOwnPath(error: Failure & { readonly file?: string }, code: VersionCode): CodeFailure {
  const prefix = `${basename(code.folder)}/`
  const { file } = error
  return file?.startsWith(prefix) ? { ...error, file: file.slice(prefix.length) } : error
}
