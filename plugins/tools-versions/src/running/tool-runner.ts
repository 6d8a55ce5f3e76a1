import { randomUUID } from 'node:crypto'
import {
  err,
  failure,
  isObject,
  messageOf,
  ok,
  redact,
  timeLimit,
  tryAsync,
  type Clock,
  type Failure,
  type Json,
  type JsonObject,
  type Logger,
  type PrincipalId,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import {
  checkOf,
  valueTest,
  type CodeFailure,
  type CodeSandbox,
  type VersionCode,
} from '@amodal/plugin-tools-custom/tokens'
import { ToolOutputInvalid, ToolOutputTooLarge } from '../errors.ts'
import type { Contract } from '../publish/schema-difference.ts'
import type { InvocationStore } from '../storage/invocation-store.ts'
import type { ToolVariables } from '../storage/variable-store.ts'
import type { SecretMask } from './secret-mask.ts'

export const MODES = ['regular', 'conversation-simulation'] as const
export type InvocationMode = (typeof MODES)[number]
/** Characters of an output, as text or as JSON. */
export const MOST_OUTPUT_CHARS = 20_000
const MOST_ERROR_CHARS = 20_000

/** Code with what is known of it: a published version, or the head of a branch. */
export interface RunnableTool {
  readonly id: string
  readonly name: string
  /** `null`: the head of a branch. */
  readonly version: string | null
  readonly code: VersionCode
  readonly contract: Contract
}

export interface Run {
  readonly tenant: TenantId
  readonly principal: PrincipalId
  readonly source: 'api' | 'test' | 'conversation' | 'simulation'
  readonly mode: InvocationMode
  readonly toolInput: JsonObject
  readonly userVariables: JsonObject
  /** Where it is called from. */
  readonly conversation?: {
    readonly id: string
    readonly interaction: string
    readonly context: JsonObject
  }
}

export interface RunFailure extends Failure {
  readonly stack?: string
}

/** One run, with its secrets masked. */
export interface Invocation {
  readonly id: string
  readonly ms: number
  readonly outcome: Result<Json, RunFailure>
}

interface Parts {
  readonly code: CodeSandbox
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
  readonly timeoutMs: number
}

/** Runs code of tools, and records each run. */
export class ToolRunner {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Runs a tool with one input. The run is recorded before it begins, so that it is in the history
   * however it ends.
   *
   * @returns an error only where nothing was run, since it could not be recorded
   */
  async run(
    tool: RunnableTool,
    run: Run,
    { config, mask }: ToolVariables,
    history: InvocationStore,
    signal: AbortSignal,
    onStatus: (event: JsonObject) => void = () => undefined,
  ): Promise<Result<Invocation, Failure>> {
    const id = `inv_${randomUUID().replaceAll('-', '')}`
    const begun = await history.begin({
      id,
      tool: tool.id,
      version: tool.version,
      mode: run.mode,
      source: run.source,
      principal: run.principal,
      conversation: run.conversation?.id ?? null,
      interaction: run.conversation?.interaction ?? null,
      simulation_run: null,
      input: JSON.stringify(redact(mask.object(run.toolInput))),
    })
    if (!begun.ok) return begun
    const { clock, log, timeoutMs } = this.#parts
    const before = clock.monotonic()
    const limit = timeLimit(timeoutMs, `running ${tool.name}`, signal)
    const ended = await tryAsync(
      () => this.#call(tool, run, config, id, limit, (event) => onStatus(mask.object(event))),
      (cause) => failure('TOOL_FAILED', messageOf(cause), { cause }),
    )
    const outcome = masked(ended.ok ? ended.value : ended, mask)
    const ms = Math.max(0, Math.round(clock.monotonic() - before))
    const recorded = await history.end({ id, ms, ...recordOf(outcome) })
    if (!recorded.ok)
      log.warn('tools_versions.not_recorded', { id, message: recorded.error.message })
    return ok({ id, ms, outcome })
  }

  async #call(
    { id: toolId, name, version, code, contract }: RunnableTool,
    { tenant, mode, toolInput, userVariables, conversation }: Run,
    config: JsonObject,
    invocation: string,
    signal: AbortSignal,
    onStatus: (event: JsonObject) => void,
  ): Promise<Result<Json, CodeFailure>> {
    const input = checkedInput(contract.input, toolInput)
    if (!input.ok) return input
    const metadata = {
      invocation_mode: mode,
      invocation_id: invocation,
      tool_id: toolId,
      tool_name: name,
      version,
    }
    const call = {
      toolInput: input.value,
      metadata,
      config,
      conversation: conversation?.context ?? null,
      userVariables,
    }
    const output = await this.#parts.code.run(code, tenant, call, onStatus, signal)
    return output.ok ? checkedOutput(contract.output, output.value) : output
  }
}

function checkedInput(schema: JsonObject, input: JsonObject): Result<JsonObject, Failure> {
  const check = checkOf(schema)
  if (!check.ok)
    return err(failure('TOOL_SCHEMA', `its input schema cannot be used: ${check.error}`))
  const checked = check.value(input)
  return checked.ok ? checked : err(failure('TOOL_ARGUMENTS', checked.error))
}

function checkedOutput(schema: JsonObject | undefined, output: Json): Result<Json, Failure> {
  const chars = (typeof output === 'string' ? output : JSON.stringify(output)).length
  if (chars > MOST_OUTPUT_CHARS)
    return err(
      ToolOutputTooLarge(
        `its output has ${chars} characters, and ${MOST_OUTPUT_CHARS} are allowed: return a summary or a reference`,
      ),
    )
  if (!schema) return ok(output)
  const test = valueTest(schema)
  if (!test.ok)
    return err(failure('TOOL_SCHEMA', `its output schema cannot be used: ${test.error}`))
  const problem = test.value(output)
  return problem === undefined
    ? ok(output)
    : err(ToolOutputInvalid(`its output does not fit its schema: ${problem}`))
}

function masked(outcome: Result<Json, CodeFailure>, mask: SecretMask): Result<Json, RunFailure> {
  if (outcome.ok) return ok(mask.json(outcome.value))
  const { code, message, fix, status, stack } = outcome.error
  return err({
    code,
    message: mask.text(message).slice(0, MOST_ERROR_CHARS),
    ...(fix !== undefined && { fix }),
    ...(status !== undefined && { status }),
    ...(stack !== undefined && { stack: mask.text(stack).slice(0, MOST_ERROR_CHARS) }),
  })
}

const recordOf = (outcome: Result<Json, RunFailure>) =>
  outcome.ok
    ? {
        status: 'succeeded' as const,
        output: JSON.stringify(isObject(outcome.value) ? redact(outcome.value) : outcome.value),
        error_code: null,
        error: null,
        stack: null,
      }
    : {
        status: 'failed' as const,
        output: null,
        error_code: outcome.error.code,
        error: storable(outcome.error.message),
        stack: outcome.error.stack === undefined ? null : storable(outcome.error.stack),
      }

/** Without what a column of text cannot hold. */
const storable = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed()
