import type { Readable } from 'node:stream'
import {
  slot,
  type AgentBundle,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
  type TenantId,
} from '@amodal/sdk'
import type { DeclaredTool } from './declared-tools.ts'
import type { WritableFolder } from './process/place.ts'

// What other plugins may import: the tools that files declare, without running their code.
export type { DeclaredTool } from './declared-tools.ts'
// Checks of values against JSON Schemas, whose patterns run in linear time.
export { checkOf, valueTest, type Check, type ValueTest } from './parameters.ts'

/**
 * The tools that the files of a bundle declare. Nothing of them is run, so these may be files that
 * nobody has accepted yet.
 *
 * @returns without tools whose definition cannot be read
 * @example
 * const names = (await declaredTools(bundle)).map(({ name }) => name)
 */
export const declaredTools = async (bundle: AgentBundle): Promise<readonly DeclaredTool[]> =>
  (await import('./declared-tools.ts')).declaredTools(bundle)

/** A program and what it may reach: the system's programs, these folders, and no network. */
export interface Program {
  /** The program, by name or absolute path, and its arguments. */
  readonly argv: readonly string[]
  /** Absolute path inside the sandbox. */
  readonly cwd: string
  /** Absolute paths that it may read, at the same path inside. */
  readonly readable: readonly string[]
  readonly writable: readonly WritableFolder[]
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Processes and threads at a time. */
  readonly processes: number
  /** Bytes of one file. */
  readonly fileBytes: number
  /**
   * Where the server is root, programs of one account that run at the same time are the same user,
   * so that each may change what the other has written.
   */
  readonly account?: string
}
export type { WritableFolder } from './process/place.ts'

export interface ProgramEnd {
  /** `null` where a signal ended it. */
  readonly exitCode: number | null
  readonly reason: 'exited' | 'timeout' | 'stopped' | 'failed'
  /** Why it could not be started or was stopped. */
  readonly message?: string
}

export interface RunningProgram {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the program and everything it started have ended. */
  readonly ended: Promise<ProgramEnd>
  stop(message: string): void
}

/** Runs programs that are not trusted. */
export interface ProgramSandbox {
  /** The sandbox whose proof holds on this machine; `NOT_ISOLATED` where none does. */
  prove(): Promise<Result<{ readonly sandbox: string }, Failure>>
  /**
   * Starts a program, and stops it when `signal` aborts.
   *
   * @returns `NOT_ISOLATED` where no sandbox holds: the program has not been started
   * @example
   * const started = await sandbox.start({ argv: ['bash', '-c', 'ls'], cwd: '/w', … }, signal)
   */
  start(program: Program, signal: AbortSignal): Promise<Result<RunningProgram, Failure>>
}
export const ProgramSandbox = slot.kernel<ProgramSandbox>('program-sandbox')

/** Code of an immutable version, in a folder that holds nothing else and that all may read. */
export interface VersionCode {
  /** Absolute path. */
  readonly folder: string
  /** Relative to the folder. */
  readonly entry: string
  readonly language: 'typescript' | 'python'
  /** Of all its files. Processes are shared by calls of equal digest and tenant. */
  readonly digest: string
}

/** Arguments of `run_tool`. */
export interface RunToolCall {
  readonly toolInput: JsonObject
  /** Such as `invocation_mode`, `tool_id` and `version`. */
  readonly metadata: JsonObject
  /** Environment variables of the tool. */
  readonly config: JsonObject
  readonly conversation: JsonObject | null
  readonly userVariables: JsonObject
}

export interface CodeFailure extends Failure {
  /** Relative to the folder. */
  readonly file?: string
  readonly line?: number
  /** Frames of the tool's own code. */
  readonly stack?: string
}

/** What the code of a version declares. */
export interface DeclaredContract {
  /** Parameters of `run_tool`; `null` where it takes any number. */
  readonly parameters: number | null
  /** JSON Schemas that the code exports as `input` and `output`. */
  readonly input?: JsonObject
  readonly output?: JsonObject
}

/** Runs code of versioned tools as handlers of `tools/` run. */
export interface CodeSandbox {
  /** Loads the code and returns what it declares. */
  describe(code: VersionCode, signal: AbortSignal): Promise<Result<DeclaredContract, CodeFailure>>
  /**
   * Checks the syntax of all files and, where the package `typescript` is installed beside the
   * server, the types of TypeScript files. Runs none of them.
   *
   * @returns whether types were checked
   */
  check(
    code: VersionCode,
    signal: AbortSignal,
  ): Promise<Result<{ readonly types: boolean }, CodeFailure>>
  /**
   * Calls `run_tool` in a process of this tenant.
   *
   * @param onStatus gets what `send_status_event` was called with
   */
  run(
    code: VersionCode,
    tenant: TenantId,
    call: RunToolCall,
    onStatus: (event: JsonObject) => void,
    signal: AbortSignal,
  ): Promise<Result<Json, CodeFailure>>
}
export const CodeSandbox = slot.kernel<CodeSandbox>('code-sandbox')
