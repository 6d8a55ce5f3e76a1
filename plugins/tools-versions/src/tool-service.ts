import {
  ok,
  type Caller,
  type Database,
  type Failure,
  type JsonObject,
  type Result,
  type Sealer,
} from '@amodal/sdk'
import type { Branch, Publisher, Tested, TestInput } from './publish/publisher.ts'
import type { Bump } from './publish/schema-difference.ts'
import type { CodeFolders } from './running/code-folders.ts'
import { runnableVersion } from './running/runnable-version.ts'
import type { Invocation, InvocationMode, ToolRunner } from './running/tool-runner.ts'
import type { InvocationFilter } from './storage/invocation-statements.ts'
import type { InvocationRow } from './storage/invocation-store.ts'
import type { Operations } from './storage/operations.ts'
import { storesOf, type Stores } from './storage/stores.ts'
import type { ToolRow, VersionRow } from './tables.ts'
import type { Page, ToolFields } from './storage/tool-store.ts'
import type { ToolFilter } from './storage/tool-statements.ts'
import type { Variable } from './storage/variable-store.ts'
import type { PublishedVersion, VersionFilter } from './storage/version-store.ts'
import type { Constraint } from './versions.ts'

type Outcome<T> = Promise<Result<T, Failure>>

export interface Window {
  readonly limit: number
  readonly offset: number
}
export interface HistoryFilter extends Omit<InvocationFilter, 'versions' | 'principal'> {
  readonly constraint: Constraint | undefined
}
export interface InvokeInput {
  readonly toolInput: JsonObject
  readonly mode: InvocationMode
  readonly userVariables: JsonObject
}

interface Parts {
  readonly database: Database
  readonly sealer: Sealer
  readonly operations: Operations
  readonly publisher: Publisher
  readonly runner: ToolRunner
  readonly folders: CodeFolders
}

/** What can be done with the tools of an organization, over whatever protocol. */
export class ToolService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  create(caller: Caller, fields: ToolFields, signal: AbortSignal): Outcome<ToolRow> {
    return this.#stores(caller).tools.create(fields, caller.principal, signal)
  }

  list(
    caller: Caller,
    filter: ToolFilter,
    window: Window,
    signal: AbortSignal,
  ): Outcome<Page<ToolRow>> {
    return this.#stores(caller).tools.list(filter, window, signal)
  }

  update(
    caller: Caller,
    tool: string,
    changes: Partial<ToolFields>,
    signal: AbortSignal,
  ): Outcome<ToolRow> {
    return this.#with(caller, tool, signal, ({ tools }) => tools.update(tool, changes, signal))
  }

  variables(caller: Caller, tool: string, signal: AbortSignal): Outcome<readonly Variable[]> {
    return this.#with(caller, tool, signal, ({ variables }) => variables.list(tool, signal))
  }

  setVariable(
    caller: Caller,
    tool: string,
    variable: { readonly name: string; readonly value: string; readonly secret: boolean },
    signal: AbortSignal,
  ): Outcome<Variable> {
    return this.#with(caller, tool, signal, ({ variables }) =>
      variables.put(tool, variable, signal),
    )
  }

  removeVariable(caller: Caller, tool: string, name: string, signal: AbortSignal): Outcome<void> {
    return this.#with(caller, tool, signal, ({ variables }) => variables.remove(tool, name, signal))
  }

  async test(
    caller: Caller,
    tool: string,
    branch: Branch,
    inputs: readonly TestInput[],
    signal: AbortSignal,
  ): Outcome<Tested> {
    const stores = this.#stores(caller)
    const found = await stores.tools.findActive(tool, signal)
    return found.ok
      ? this.#parts.publisher.test(caller, stores, found.value, branch, inputs, signal)
      : found
  }

  async publish(
    caller: Caller,
    tool: string,
    branch: Branch,
    bump: Bump | undefined,
    signal: AbortSignal,
  ): Outcome<VersionRow> {
    const stores = this.#stores(caller)
    const found = await stores.tools.findActive(tool, signal)
    return found.ok
      ? this.#parts.publisher.publish(caller, stores, found.value, branch, bump)
      : found
  }

  versions(
    caller: Caller,
    tool: string,
    filter: VersionFilter,
    window: Window,
    signal: AbortSignal,
  ): Outcome<Page<VersionRow>> {
    return this.#with(caller, tool, signal, ({ versions }) =>
      versions.list(tool, filter, window, signal),
    )
  }

  /** Versions that may be called, of tools with these names. */
  published(
    caller: Caller,
    names: readonly string[],
    signal: AbortSignal,
  ): Outcome<readonly PublishedVersion[]> {
    return this.#stores(caller).versions.published(names, signal)
  }

  /** @param constraint `undefined`: the tool, with all its versions */
  deprecate(
    caller: Caller,
    tool: string,
    constraint: Constraint | undefined,
    signal: AbortSignal,
  ): Outcome<void> {
    return this.#with(caller, tool, signal, ({ database, versions }) =>
      this.#parts.operations.run(database, tool, signal, (operation) =>
        versions.deprecate(constraint, operation),
      ),
    )
  }

  /** Runs a version with several inputs at the same time: also one that is deprecated meanwhile. */
  async invoke(
    caller: Caller,
    tool: string,
    version: string,
    inputs: readonly InvokeInput[],
    signal: AbortSignal,
  ): Outcome<readonly Result<Invocation, Failure>[]> {
    const stores = this.#stores(caller)
    const found = await stores.tools.findActive(tool, signal)
    if (!found.ok) return found
    const row = await stores.versions.findActive(tool, version, signal)
    if (!row.ok) return row
    const { folders, runner } = this.#parts
    const runnable = await runnableVersion(found.value, row.value, stores.versions, folders)
    if (!runnable.ok) return runnable
    const variables = await stores.variables.open(tool, signal)
    if (!variables.ok) return variables
    const runs = inputs.map((input) =>
      runner.run(
        runnable.value,
        { ...caller, source: 'api', ...input },
        variables.value,
        stores.invocations,
        signal,
      ),
    )
    return ok(await Promise.all(runs))
  }

  /** @param words `undefined`: all that the filter lets through */
  async history(
    caller: Caller,
    words: string | undefined,
    { constraint, ...rest }: HistoryFilter,
    window: Window,
    signal: AbortSignal,
  ): Outcome<Page<InvocationRow>> {
    const { invocations, versions } = this.#stores(caller)
    const fitting = constraint && (await versions.fitting(rest.tool, constraint, signal))
    if (fitting?.ok === false) return fitting
    const filter = {
      ...rest,
      versions: fitting?.value,
      principal: caller.ownSessionsOnly === true ? caller.principal : undefined,
    }
    return words === undefined
      ? invocations.list(filter, window, signal)
      : invocations.search(words, filter, window, signal)
  }

  /** Does something with a tool that is there. */
  async #with<T>(
    caller: Caller,
    tool: string,
    signal: AbortSignal,
    work: (stores: Stores) => Outcome<T>,
  ): Outcome<T> {
    const stores = this.#stores(caller)
    const found = await stores.tools.find(tool, signal)
    return found.ok ? work(stores) : found
  }

  #stores({ tenant }: Caller): Stores {
    const { database, sealer } = this.#parts
    return storesOf(database, sealer, tenant)
  }
}
