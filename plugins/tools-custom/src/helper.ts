import { resolve } from 'node:path'
import {
  type AgentEvent,
  type Clock,
  err,
  failure,
  type Failure,
  type InnerCall,
  isObject,
  type Json,
  type JsonObject,
  mapTexts,
  ok,
  type Outbound,
  type Result,
  type ToolContext,
  type ToolResult,
} from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import { stateOfCall, type StateOfCall } from '@amodal/plugin-live-state/tokens'
import { SUBAGENT_OF_TOOL } from '@amodal/plugin-subagents/tokens'
import type { HandlerTool } from './custom-tool.ts'
import { DurableSteps } from './durable-steps.ts'
import { execute } from './process/exec.ts'
import type { Helper } from './process/handler-process.ts'
import type { Launcher } from './process/launcher.ts'
import type { Place } from './process/place.ts'
import type { HandlerRequest, HandlerNotice } from './process/messages.ts'
import { readRepoFile } from './repo-file.ts'

/** Services that a call uses to carry out requests of its handler. */
export interface Surroundings {
  readonly outbound: Outbound
  readonly launcher: Launcher
  readonly place: Place
  readonly mask: (text: string) => string
  readonly clock: Clock
  /** The folder whose files it may read; the agent's own. */
  readonly repo: string
}

const NOT_DURABLE = failure('TOOL_DENIED', 'only a tool with "execution": "durable" has this')
const UNRECORDED = failure(
  'TOOL_DENIED',
  'a durable tool reaches what is outside with ctx.request and ctx.callTool, whose results are recorded',
)

type Answer = Awaited<ReturnType<Helper['request']>>
const MOST_EVENTS = 50
const MOST_LOG = 10_000
const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
/** Of bodies that go through a handler's channel. */
const MOST_BODY = 5_000_000

/**
 * Carries out requests of a handler during one call: each goes through the monitor, or is refused.
 */
export class CallHelper implements Helper {
  /** Events that the handler emits with its result. */
  readonly events: AgentEvent[] = []
  /** What the handler has changed of the live state. */
  sessionState: JsonObject = {}
  /** A request or a command of the handler may have taken effect without a response. */
  doubtful = false
  /** Of a durable tool. */
  readonly durable: DurableSteps | undefined
  readonly #tool: HandlerTool
  readonly #ctx: ToolContext
  readonly #around: Surroundings
  #fetched = 0

  constructor(tool: HandlerTool, ctx: ToolContext, around: Surroundings) {
    this.#tool = tool
    this.#ctx = ctx
    this.#around = around
    this.durable = tool.execution === 'durable' ? new DurableSteps(ctx, around.clock) : undefined
  }

  get time(): number | undefined {
    return this.durable?.time
  }

  async request(what: HandlerRequest): Promise<Answer> {
    const answer = await this.#answer(what)
    const stamped = await this.durable?.stamp()
    return stamped?.ok === false ? stamped : answer
  }

  async #answer(what: HandlerRequest): Promise<Answer> {
    switch (what.op) {
      case 'request': {
        const { op: _, ...args } = what
        return this.#call({ name: 'request', args: defined(args) })
      }
      case 'store':
        return this.#callNamed(`store_${what.name.replaceAll('-', '_')}`, what.payload)
      case 'tool':
        return this.#callNamed(what.name, what.args, what.declared)
      case 'subagent':
        return this.#callSubagent(what)
      case 'read-file':
        return readRepoFile(what.path, this.#around.repo, this.#ctx.signal)
      case 'document':
      case 'documents':
        return err(failure('TOOL_DENIED', 'documents are for guards: call a tool of the store'))
      case 'state':
        return this.#changeState((state) => state.change(what.values))
      case 'state-patch':
        return this.#changeState((state) => state.patch(what.operations))
      case 'sleep':
      case 'approval':
        return this.durable?.request(what) ?? err(NOT_DURABLE)
      case 'exec':
        return this.durable ? err(UNRECORDED) : this.#execute(what)
      case 'fetch':
        return this.durable ? err(UNRECORDED) : this.#fetch(what)
    }
  }

  notify(what: HandlerNotice): void {
    const { progress, callId } = this.#ctx
    switch (what.op) {
      case 'log':
        return progress({
          type: 'tool_log',
          tool_name: this.#tool.name,
          message: this.#around.mask(textStart(what.message, MOST_LOG)),
        })
      case 'label':
        return progress({
          type: 'tool_label_update',
          tool_id: callId,
          ...(what.running !== undefined && { running_label: what.running }),
          ...(what.completed !== undefined && { completed_label: what.completed }),
        })
      case 'emit':
        return this.#emit(what.event)
      case 'reasoning':
        return progress({
          type: 'reasoning_delta',
          content: `${this.#around.mask(textStart(what.line, MOST_LOG))}\n`,
        })
    }
  }

  /** @param declared only what the definition names in `uses` */
  #callNamed(name: string, args: JsonObject, declared = false): Promise<Answer> {
    const { name: own, uses, closed } = this.#tool
    if ((declared || closed) && !uses.includes(name))
      return Promise.resolve(
        err(
          failure(
            'TOOL_DENIED',
            `"${own}" does not name the tool "${name}" in \`uses\`, and may call: ${uses.join(', ') || 'none'}`,
          ),
        ),
      )
    return this.#call({ name, args })
  }

  async #callSubagent({
    name,
    task,
    input,
  }: Extract<HandlerRequest, { op: 'subagent' }>): Promise<Answer> {
    const { name: own, subagents } = this.#tool
    if (!subagents.includes(name))
      return err(
        failure(
          'TOOL_DENIED',
          `"${own}" does not name the agent "${name}" in \`uses.subagents\`, and may call: ${subagents.join(', ') || 'none'}`,
        ),
      )
    return this.#call({ name: SUBAGENT_OF_TOOL, args: defined({ name, task, input }) })
  }

  async #call(inner: InnerCall): Promise<Answer> {
    const result: ToolResult = await this.#ctx.call(inner)
    if (result.status === 'success') {
      this.events.push(...(result.events ?? []).slice(0, MOST_EVENTS - this.events.length))
      return ok(result.output)
    }
    return result.status === 'error'
      ? err({ code: result.code ?? 'TOOL_FAILED', message: result.message })
      : err(failure('APPROVAL_REQUIRED', `"${inner.name}" asks a person`))
  }

  /** What it changes counts once the turn has ended well, if the call succeeds. */
  #changeState(change: (state: StateOfCall) => Result<JsonObject, Failure>): Answer {
    const { name, mutating } = this.#tool
    if (!mutating)
      return err(
        failure(
          'TOOL_DENIED',
          `"${name}" changes the state and is not mutating: add "mutating": true to its definition`,
        ),
      )
    const state = this.#state()
    if (!state)
      return err(failure('TOOL_DENIED', 'this agent has no state: declare it in amodal.json'))
    const changed = change(state)
    if (!changed.ok) return changed
    this.sessionState = { ...this.sessionState, ...changed.value }
    return ok(this.#state()?.values ?? {})
  }

  /** With what this call has changed already. */
  #state(): StateOfCall | undefined {
    const { bundle, run, sessionState } = this.#ctx
    return stateOfCall({ bundle, run, sessionState: { ...sessionState, ...this.sessionState } })
  }

  /**
   * Only where the agent's manifest says so: a shell can do whatever the person who runs the server
   * can.
   */
  async #execute({
    command,
    cwd,
    timeout,
  }: Extract<HandlerRequest, { op: 'exec' }>): Promise<Answer> {
    const { sandbox } = this.#ctx.bundle.manifest.raw
    if (!isObject(sandbox) || sandbox['shellExec'] !== true) {
      return err(
        failure(
          'TOOL_DENIED',
          'this agent runs no commands: set `"sandbox": { "shellExec": true }` in amodal.json to allow ctx.exec',
        ),
      )
    }
    const { place, launcher } = this.#around
    const { lease, signal } = this.#ctx
    const most = Math.min(
      this.#tool.timeout,
      typeof sandbox['maxTimeout'] === 'number' ? sandbox['maxTimeout'] : Infinity,
    )
    const done = await execute(
      {
        command,
        cwd: resolve(place.cwd, cwd ?? '.'),
        timeoutMs: Math.min(timeout ?? most, most),
        lease,
      },
      place,
      launcher,
      signal,
    )
    if (!done.ok && (done.error.code === 'TIMEOUT' || done.error.code === 'TOO_LARGE'))
      this.doubtful = true
    return done
  }

  async #fetch({
    url,
    method,
    headers,
    body,
  }: Extract<HandlerRequest, { op: 'fetch' }>): Promise<Answer> {
    if (this.#tool.readOnly && !READS.includes(method))
      return err(
        failure(
          'TOOL_DENIED',
          `"${this.#tool.name}" is read-only, and ${method} would change something`,
        ),
      )
    const { lease, signal, key } = this.#ctx
    const answered = await this.#around.outbound.request({
      url,
      method,
      headers,
      lease,
      signal,
      key: `${key}/fetch/${++this.#fetched}`,
      timeoutMs: this.#tool.timeout,
      maxBytes: MOST_BODY,
      ...(body !== undefined && { body: Buffer.from(body, 'base64') }),
    })
    if (!answered.ok) {
      const { code, message, details } = answered.error
      if (READS.includes(method) || details?.['sent'] === false) return answered
      this.doubtful = true
      const taken =
        typeof details?.['status'] === 'number' ? ` It was answered with ${details['status']}.` : ''
      return err({ code: taken === '' ? 'OUTCOME_UNKNOWN' : code, message: `${message}.${taken}` })
    }
    const { status, headers: given, body: bytes } = answered.value
    return ok({ status, headers: { ...given }, body: Buffer.from(bytes).toString('base64') })
  }

  /**
   * Only what a client may take from a tool: a handler cannot say that a turn is over, or that
   * something was approved.
   */
  #emit(event: JsonObject): void {
    const read = eventOf(mapTexts(event, this.#around.mask, true))
    if (read.ok && this.events.length < MOST_EVENTS) this.events.push(read.value)
    else
      this.notify({
        op: 'log',
        message: read.ok
          ? `more than ${MOST_EVENTS} events; this one is left out`
          : `ctx.emit: ${read.error.message}`,
      })
  }
}

function eventOf(event: JsonObject): Result<AgentEvent, Failure> {
  const type = event['type']
  const widget = event['widget_type'] ?? event['widgetType']
  if (type === 'widget') {
    return typeof widget === 'string' && /^[\w-]{1,64}$/.test(widget)
      ? ok({ type, widget_type: widget, data: event['data'] ?? {} })
      : err(failure('TOOL_FAILED', 'a widget needs its kind as `widget_type`, and `data`'))
  }
  const message = event['message']
  if (type === 'warning' && typeof message === 'string') return ok({ type, message })
  return err(
    failure(
      'TOOL_FAILED',
      `a tool cannot emit ${JSON.stringify(type ?? null)}: it can emit widget and warning`,
    ),
  )
}

const defined = (args: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  )
