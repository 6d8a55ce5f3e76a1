import type { Json, JsonObject } from '@amodal/kernel'

/** The result of a command; `exitCode` is `null` if it is unknown. */
export interface Executed {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number | null
}

/** One operation of JSON Patch (RFC 6902). */
export type StateOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

/**
 * The live state of the session, as the turn in progress sees it. Only a tool with `"mutating":
 * true` changes it; changes count once the turn has ended well.
 */
export interface HandlerState {
  /** All values, frozen; what this call has changed is in it. */
  get(): JsonObject
  /**
   * Gives properties new values. Resolves with all values; rejects with an error whose `code` is
   * `STATE_REFUSED` where a value does not fit its schema, and `TOOL_DENIED` where the tool is not
   * mutating.
   */
  set(values: JsonObject): Promise<JsonObject>
  /** Applies a JSON Patch (RFC 6902): all operations, or none. Resolves and rejects as `set`. */
  patch(operations: readonly StateOperation[]): Promise<JsonObject>
}

/** What a handler of `tools/` gets in addition to its parameters. */
export interface HandlerContext {
  /**
   * Calls a connection, which adds its credentials. Resolves with the body; rejects with an error
   * whose `code` says why, such as `APPROVAL_REQUIRED`.
   */
  request<T = Json>(
    connection: string,
    endpoint: string,
    options?: {
      readonly method?: string
      readonly params?: object
      readonly data?: unknown
      readonly headers?: Readonly<Record<string, string>>
    },
  ): Promise<T>
  /**
   * Runs a line of the shell, or a program; `timeout` in ms. Only where amodal.json says
   * `"sandbox": { "shellExec": true }`.
   */
  exec(
    command: string | readonly string[],
    options?: { readonly cwd?: string; readonly timeout?: number },
  ): Promise<Executed>
  /** Stores one document. */
  store(name: string, payload: object): Promise<{ readonly key: string }>
  readonly state: HandlerState
  /** Calls another tool: any that the model has, and hidden ones that the tool names in `uses`. */
  tool<T = Json>(name: string, args?: object): Promise<T>
  /** A variable that the tool names in `env`. */
  env(name: string): string | undefined
  /** Tells the client how it goes; nothing of it is kept. */
  log(message: unknown): void
  /**
   * Shows something with the result: `{ type: 'widget', widget_type, data }` or `{ type: 'warning',
   * message }`.
   */
  emit(
    event:
      | { readonly type: 'widget'; readonly widget_type: string; readonly data: unknown }
      | { readonly type: 'warning'; readonly message: string },
  ): void
  setLabel(label: { readonly running?: string; readonly completed?: string }): void
  readonly user: { readonly roles: readonly string[] }
  readonly agentId: string
  readonly scopeId: string
  readonly sessionId: string
  /** Aborts when the call is over its time, or stopped. */
  readonly signal: AbortSignal
}

/** What a tool.json says, and the handler. */
export interface ToolHandler<P> {
  /** For the model: what it does, and when to use it. */
  readonly description: string
  readonly name?: string
  /** JSON Schema of an object. */
  readonly parameters?: JsonObject
  readonly confirm?: boolean | 'review' | 'never'
  /** ms */
  readonly timeout?: number
  readonly env?: readonly string[]
  readonly uses?: readonly string[]
  readonly readOnly?: boolean
  /** It may change the live state of the session, with `ctx.state.set` and `ctx.state.patch`. */
  readonly mutating?: boolean
  readonly keyed?: boolean
  readonly internal?: boolean
  readonly resultPersistence?: 'ephemeral' | 'persisted-preferred' | 'persisted'
  /** No client sees what it gives. */
  readonly private?: boolean
  /**
   * It may run although untrusted text may have caused it: that is no reason to ask a person.
   */
  readonly taint?: 'ignore'
  readonly runningLabel?: string
  readonly completedLabel?: string
  readonly responseShaping?: {
    readonly pick?: readonly string[]
    readonly rename?: Readonly<Record<string, string>>
    readonly template?: string
  }
  readonly handler: (params: P, ctx: HandlerContext) => unknown
}

/**
 * Defines a tool of `tools/` in one file, as its default export. Inside of the handler's process
 * `@amodalai/core` and `@amodal/sdk` give another function of the same name, so that nothing of the
 * server is loaded there.
 *
 * @example
 * const rollDice = defineToolHandler<{ sides?: number }>({
 *   description: 'Rolls a die.',
 *   parameters: {
 *     type: 'object',
 *     properties: { sides: { type: 'integer', minimum: 2, default: 6 } },
 *   },
 *   handler: ({ sides = 6 }) => ({ rolled: 1 + Math.floor(Math.random() * sides) }),
 * })
 */
export function defineToolHandler<P = JsonObject>(definition: ToolHandler<P>): ToolHandler<P> {
  return Object.freeze(
    Object.defineProperty({ ...definition }, Symbol.for('amodal.tool-handler'), { value: true }),
  )
}
