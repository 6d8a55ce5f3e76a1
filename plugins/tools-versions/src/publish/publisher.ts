import {
  err,
  failure,
  ok,
  timeLimit,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import type { RepoSource, ToolRepos } from '@amodal/plugin-tool-repos/tokens'
import type { CodeSandbox } from '@amodal/plugin-tools-custom/tokens'
import { ToolCheckFailed } from '../errors.ts'
import type { CodeFolders } from '../running/code-folders.ts'
import type {
  Invocation,
  InvocationMode,
  RunnableTool,
  ToolRunner,
} from '../running/tool-runner.ts'
import type { Operation, Operations } from '../storage/operations.ts'
import type { Stores } from '../storage/stores.ts'
import type { ToolRow, VersionRow } from '../tables.ts'
import type { ToolVariables } from '../storage/variable-store.ts'
import { missingVariables } from '../storage/version-store.ts'
import { versionText, type VersionNumber } from '../versions.ts'
import { candidateOf, type Candidate } from './candidate.ts'
import { bumped, nextVersion } from './next-version.ts'
import { missingIn, type ToolCheck } from './project.ts'
import type { Bump } from './schema-difference.ts'

/** Tags of versions that were pinned and never stored, as a server was killed between the two. */
const MOST_TAKEN_TAGS = 20
const TAG_TAKEN = 'REPO_TAG_TAKEN'

export interface Branch {
  readonly repo: RepoSource['repo']
  readonly branch: string
}
export interface TestInput {
  readonly toolInput: JsonObject
  readonly mode: InvocationMode
  readonly userVariables: JsonObject
}
export interface Tested {
  readonly commit: string
  readonly checks: readonly { readonly name: string; readonly invocation: string }[]
  readonly results: readonly Result<Invocation, Failure>[]
}

interface Parts {
  readonly repos: ToolRepos | undefined
  readonly code: CodeSandbox
  readonly folders: CodeFolders
  readonly runner: ToolRunner
  readonly operations: Operations
  readonly publishMs: number
  /** Aborts when the server stops. */
  readonly life: AbortSignal
}

/** Tests and publishes the code of tools. */
export class Publisher {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Runs the head of a branch, with its checks, as a version of it would run. */
  async test(
    caller: Caller,
    stores: Stores,
    tool: ToolRow,
    branch: Branch,
    inputs: readonly TestInput[],
    signal: AbortSignal,
  ): Promise<Result<Tested, Failure>> {
    const time = timeLimit(this.#parts.publishMs, `testing ${tool.name}`, signal)
    const prepared = await this.#prepare(caller, stores, tool, branch, time)
    if (!prepared.ok) return prepared
    const { candidate, runnable, variables, checks } = prepared.value
    const { runner } = this.#parts
    const results = await Promise.all(
      inputs.map((input) =>
        runner.run(
          runnable,
          { ...caller, source: 'test', ...input },
          variables,
          stores.invocations,
          time,
        ),
      ),
    )
    return ok({ commit: candidate.commit, checks, results })
  }

  /** Publishes the head of a branch as the next version. It goes on where the client disconnects. */
  publish(
    caller: Caller,
    stores: Stores,
    tool: ToolRow,
    branch: Branch,
    bump: Bump | undefined,
  ): Promise<Result<VersionRow, Failure>> {
    const { publishMs, life, operations } = this.#parts
    const time = timeLimit(publishMs, `publishing ${tool.name}`, life)
    return operations.run(stores.database, tool.id, time, (operation) =>
      this.#publish(caller, stores, tool, branch, bump, operation),
    )
  }

  async #publish(
    caller: Caller,
    stores: Stores,
    tool: ToolRow,
    branch: Branch,
    bump: Bump | undefined,
    operation: Operation,
  ): Promise<Result<VersionRow, Failure>> {
    const prepared = await this.#prepare(caller, stores, tool, branch, operation.signal)
    if (!prepared.ok) return prepared
    const { candidate } = prepared.value
    const latest = await stores.versions.latest(tool.id, operation.signal)
    if (!latest.ok) return latest
    const row = latest.value
    const published = row && {
      number: row,
      contract: { input: row.input, output: row.output ?? undefined },
    }
    const next = nextVersion(published, candidate.contract, bump)
    if (!next.ok) return next
    const source = { tenant: caller.tenant, repo: branch.repo }
    const number = await this.#pin(
      source,
      candidate.commit,
      tool.name,
      next.value,
      operation.signal,
    )
    if (!number.ok) return number
    const { project, contract, archive, code, lockHash } = candidate
    return stores.versions.add(
      {
        tool: tool.id,
        ...number.value,
        description: project.description,
        language: code.language,
        entry: code.entry,
        repo: branch.repo,
        branch: branch.branch,
        revision: candidate.commit,
        archive: archive.hash,
        input: contract.input,
        output: contract.output ?? null,
        variables: JSON.stringify(project.env),
        lock_hash: lockHash,
        creator: caller.principal,
      },
      requiredOf(candidate),
      archive.bytes,
      operation,
    )
  }

  /** Pins the commit. A number whose tag names another commit was never published: it is skipped. */
  async #pin(
    source: RepoSource,
    commit: string,
    tool: string,
    first: VersionNumber,
    signal: AbortSignal,
  ): Promise<Result<VersionNumber, Failure>> {
    const repos = this.#repos()
    if (!repos.ok) return repos
    let number = first
    for (let n = 1; ; n++) {
      const tag = `tools/${tool}/${versionText(number)}`
      const pinned = await repos.value.pin(source, commit, tag, signal)
      if (pinned.ok) return ok(number)
      if (pinned.error.code !== TAG_TAKEN || n === MOST_TAKEN_TAGS) return pinned
      number = bumped(number, 'patch')
    }
  }

  async #prepare(
    caller: Caller,
    stores: Stores,
    tool: ToolRow,
    { repo, branch }: Branch,
    signal: AbortSignal,
  ) {
    const repos = this.#repos()
    if (!repos.ok) return repos
    const { code, folders } = this.#parts
    const source = { tenant: caller.tenant, repo, branch }
    const found = await candidateOf(
      { repos: repos.value, code, folders },
      tool.name,
      source,
      signal,
    )
    if (!found.ok) return found
    const candidate = found.value
    const variables = await stores.variables.open(tool.id, signal)
    if (!variables.ok) return variables
    const names = Object.keys(variables.value.config).map((name) => ({ name }))
    const missing = missingVariables(requiredOf(candidate), names)
    if (missing) return err(missing)
    const { id, name } = tool
    const { contract } = candidate
    const runnable = { id, name, version: null, code: candidate.code, contract }
    const checks = await this.#check(caller, stores, runnable, candidate, variables.value, signal)
    return checks.ok
      ? ok({ candidate, runnable, variables: variables.value, checks: checks.value })
      : checks
  }

  /** One after the other: the first that does not pass is named. */
  async #check(
    caller: Caller,
    stores: Stores,
    runnable: RunnableTool,
    { project }: Candidate,
    variables: ToolVariables,
    signal: AbortSignal,
  ): Promise<Result<Tested['checks'], Failure>> {
    const passed: { readonly name: string; readonly invocation: string }[] = []
    for (const check of project.checks) {
      const run = await this.#parts.runner.run(
        runnable,
        {
          ...caller,
          source: 'test',
          mode: check.mode,
          toolInput: check.input,
          userVariables: {},
        },
        variables,
        stores.invocations,
        signal,
      )
      if (!run.ok) return run
      const problem = problemOf(check, run.value)
      if (problem !== undefined)
        return err(ToolCheckFailed(`the check ${JSON.stringify(check.name)}: ${problem}`))
      passed.push({ name: check.name, invocation: run.value.id })
    }
    return ok(passed)
  }

  #repos(): Result<ToolRepos, Failure> {
    const { repos } = this.#parts
    return repos
      ? ok(repos)
      : err(failure('NOT_FOUND', 'this server has no repositories of tools: list `tool-repos`'))
  }
}

function problemOf({ expect }: ToolCheck, { outcome }: Invocation): string | undefined {
  if (!outcome.ok) return outcome.error.message
  return expect === undefined ? undefined : missingIn(outcome.value, expect)
}

const requiredOf = ({ project }: Candidate): readonly string[] =>
  project.env.filter(({ required }) => required).map(({ name }) => name)
