import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import type { Json, ModelCall, ModelResult, RunContext, ToolOutcome } from '@amodal/sdk'
import { NAMES, providerName, type VersionedNames } from '../names.ts'
import type { SpanContent } from './span-content.ts'
import type { McpRequest, McpSpan } from '../tokens.ts'
import { mcpAttributes, mcpSpanName } from './mcp-attributes.ts'
import { spanContextOf, traceparentOf } from './traceparent.ts'

/** A call of a tool, as far as its span names it. */
export interface TracedCall {
  readonly id: string
  readonly tool: string
  readonly readOnly?: boolean
  readonly args?: Json
}

/** The spans of one turn: a run, or the part of it that one process drives without a pause. */
export class RunTrace {
  readonly #tracer: Tracer
  readonly #names: VersionedNames
  readonly #root: Span
  readonly #context: Context
  readonly #content: SpanContent | undefined
  readonly #models = new Map<string, Span>()
  readonly #tools = new Map<string, Span>()
  readonly #requests = new Set<Span>()
  #ended = false

  /**
   * @param isResumed a resumed run links to what began it: one span would last for days
   * @param content where spans hold texts, arguments and results
   */
  constructor(
    tracer: Tracer,
    names: VersionedNames,
    ctx: RunContext,
    isResumed: boolean,
    content: SpanContent | undefined,
  ) {
    this.#content = content
    this.#tracer = tracer
    this.#names = names
    const origin = spanContextOf(ctx.trace)
    const parent = origin && !isResumed ? trace.setSpanContext(ROOT_CONTEXT, origin) : ROOT_CONTEXT
    const { name } = ctx.bundle.manifest
    this.#root = tracer.startSpan(
      `invoke_agent ${name}`,
      {
        kind: SpanKind.INTERNAL,
        attributes: {
          [NAMES.operation]: 'invoke_agent',
          [NAMES.agent]: name,
          [NAMES.conversation]: ctx.session,
          [NAMES.tenant]: ctx.tenant,
          [NAMES.run]: ctx.run,
          [NAMES.bundle]: ctx.bundle.hash,
          ...(isResumed && { [NAMES.resumed]: true }),
        },
        ...(origin && isResumed && { links: [{ context: origin }] }),
      },
      parent,
    )
    this.#context = trace.setSpan(ROOT_CONTEXT, this.#root)
  }

  get isRecording(): boolean {
    return this.#root.isRecording()
  }

  /**
   * The `traceparent` for a request of this run.
   *
   * @param key of the effect, if it belongs to a call
   */
  traceparent(key?: string): string | undefined {
    return traceparentOf(this.#activeSpan(key).spanContext())
  }

  /** The ids of the trace and of the span that is active, for lines of the log. */
  ids(): Readonly<Record<'trace_id' | 'span_id', string>> | undefined {
    const context = this.#activeSpan(undefined).spanContext()
    return isSpanContextValid(context)
      ? { trace_id: context.traceId, span_id: context.spanId }
      : undefined
  }

  /** A person's message, which the next model call is given. */
  messageArrives(text: string): void {
    this.#content?.addMessage(text)
    const input = this.#content?.input()
    if (input !== undefined) this.#root.setAttribute(NAMES.inputMessages, input)
  }

  modelCallBegins(call: ModelCall): void {
    const key = keyOf(call)
    this.#endSpan(this.#models, key, 'retried')
    const { config, settings, step, attempt, aside } = call
    const input = aside ? undefined : this.#content?.input()
    this.#models.set(
      key,
      this.#start(`chat ${config.model}`, SpanKind.CLIENT, {
        [NAMES.operation]: 'chat',
        [this.#names.provider]: providerName(config.provider),
        [NAMES.requestModel]: config.model,
        [NAMES.step]: step,
        [NAMES.attempt]: attempt,
        ...(aside && { [NAMES.aside]: true }),
        ...(input !== undefined && { [NAMES.inputMessages]: input }),
        ...defined({
          [NAMES.temperature]: settings.temperature,
          [NAMES.topP]: settings.topP,
          [NAMES.seed]: settings.seed,
          [NAMES.maxTokens]: settings.maxOutputTokens,
        }),
      }),
    )
    if (this.#names.agentProvider)
      this.#root.setAttribute(this.#names.provider, providerName(config.provider))
  }

  modelCallEnds(call: ModelCall, result: ModelResult): void {
    const { usage, finish } = result
    const span = this.#models.get(keyOf(call))
    const { cacheRead, cacheWrite } = this.#names
    span?.setAttributes({
      [NAMES.finishReasons]: [finish.replaceAll('-', '_')],
      [NAMES.inputTokens]: usage.input,
      [NAMES.outputTokens]: usage.output,
      ...(cacheRead !== undefined && { [cacheRead]: usage.cacheRead }),
      ...(cacheWrite !== undefined && { [cacheWrite]: usage.cacheWrite }),
    })
    if (this.#content && !call.aside) {
      const output = this.#content.output(result)
      span?.setAttribute(NAMES.outputMessages, output)
      if (result.calls.length === 0) this.#root.setAttribute(NAMES.outputMessages, output)
    }
    this.#endSpan(this.#models, keyOf(call))
  }

  modelCallFails(call: ModelCall, code: string): void {
    this.#endSpan(this.#models, keyOf(call), code)
  }

  /** Begins once, whatever says so first. */
  toolCallBegins({ id, tool, readOnly, args }: TracedCall): void {
    if (this.#tools.has(id)) return
    const content = args === undefined ? undefined : this.#content?.value(args)
    this.#tools.set(
      id,
      this.#start(`execute_tool ${tool}`, SpanKind.INTERNAL, {
        [NAMES.operation]: 'execute_tool',
        [NAMES.tool]: tool,
        [NAMES.toolCall]: id,
        [NAMES.toolType]: 'function',
        ...(readOnly !== undefined && { [NAMES.readOnly]: readOnly }),
        ...(content !== undefined && { [NAMES.toolArguments]: content }),
      }),
    )
  }

  guardDecides(call: string, level: string, reasons: number): void {
    this.#tools
      .get(call)
      ?.addEvent('amodal.guard', { [NAMES.verdict]: level, [NAMES.verdictReasons]: reasons })
  }

  /** The result of a call, which the next model call is given. */
  resultArrives(outcome: ToolOutcome): void {
    const result = this.#content?.addResult(outcome)
    if (result !== undefined) this.#tools.get(outcome.call)?.setAttribute(NAMES.toolResult, result)
  }

  toolCallEnds(call: string, code?: string): void {
    this.#endSpan(this.#tools, call, code)
  }

  /** A request to an MCP server, below the tool call that makes it. */
  mcpRequestBegins(request: McpRequest): McpSpan | undefined {
    if (this.#ended) return undefined
    const parent = this.#toolSpan(request.key) ?? this.#root
    const span = this.#tracer.startSpan(
      mcpSpanName(request),
      { kind: SpanKind.CLIENT, attributes: mcpAttributes(request) },
      trace.setSpan(ROOT_CONTEXT, parent),
    )
    const traceparent = traceparentOf(span.spanContext())
    if (traceparent === undefined) return undefined
    this.#requests.add(span)
    return {
      traceparent,
      end: (error) => {
        if (this.#requests.delete(span)) endWith(span, error)
      },
    }
  }

  /** The spans end here, and the run goes on later, perhaps in another process. */
  parks(): void {
    this.#root.setAttribute(NAMES.parked, true)
    this.end()
  }

  runEnds(reason: string, code: string | undefined, usage: RunContext['usage']): void {
    this.#root.setAttributes({
      [NAMES.reason]: reason,
      [NAMES.inputTokens]: usage.input,
      [NAMES.outputTokens]: usage.output,
    })
    this.end(code)
  }

  /** Ends all spans that are open. */
  end(code?: string): void {
    if (this.#ended) return
    this.#ended = true
    for (const key of [...this.#models.keys()]) this.#endSpan(this.#models, key, 'cancelled')
    // A call may stay open while a person is asked: it has not failed.
    for (const span of this.#requests) endWith(span, undefined)
    this.#requests.clear()
    for (const key of [...this.#tools.keys()]) this.#endSpan(this.#tools, key)
    endWith(this.#root, code)
  }

  #activeSpan(key: string | undefined): Span {
    const tool = key === undefined ? undefined : this.#toolSpan(key)
    return tool ?? [...this.#models.values()].at(-1) ?? this.#root
  }

  /** @param key of the effect of a call */
  #toolSpan(key: string): Span | undefined {
    return [...this.#tools].find(([id]) => key.includes(id))?.[1]
  }

  #start(name: string, kind: SpanKind, attributes: Attributes): Span {
    return this.#tracer.startSpan(name, { kind, attributes }, this.#context)
  }

  #endSpan(spans: Map<string, Span>, key: string, code?: string): void {
    const span = spans.get(key)
    if (!span) return
    spans.delete(key)
    endWith(span, code)
  }
}

/** Calls beside the conversation run at the same time as the one of a step. */
export const keyOf = ({ aside, step }: Pick<ModelCall, 'aside' | 'step'>): string =>
  `${aside ? 'aside' : 'main'}/${step}`

/** Codes only: messages may hold contents. */
function endWith(span: Span, code: string | undefined): void {
  if (code !== undefined) {
    span.setAttribute(NAMES.error, code)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

const defined = (values: Readonly<Record<string, number | undefined>>): Attributes =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
