import type { Attributes } from '@opentelemetry/api'
import { NANO, Pricing, type ModelCall, type ModelResult, type RunContext } from '@amodal/sdk'
import { NAMES, providerName } from '../names.ts'
import { keyOf } from '../spans/run-trace.ts'
import type { Instruments } from './instruments.ts'

/** Stands for values that are not from a fixed list, so that no caller can add time series. */
const OTHER = '_OTHER'
const CODE = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

interface ModelTiming {
  readonly call: ModelCall
  readonly begunAt: number
  hasChunk: boolean
}

const secondsSince = (begunAt: number): number => (performance.now() - begunAt) / 1_000

const failedWith = (code: string | undefined): Attributes =>
  code === undefined ? {} : { [NAMES.error]: CODE.test(code) ? code : OTHER }

/** Measures one turn. No attribute names a tenant, a session or a principal. */
export class TurnMeasures {
  readonly #instruments: Instruments
  readonly #agent: Attributes
  readonly #begunAt = performance.now()
  readonly #models = new Map<string, ModelTiming>()
  /** Names of tools by call. */
  readonly #tools = new Map<string, string>()
  readonly #settled = new Set<string>()
  #modelCalls = 0
  #isEnded = false

  constructor(instruments: Instruments, ctx: RunContext, isFresh: boolean) {
    this.#instruments = instruments
    this.#agent = { [NAMES.operation]: 'invoke_agent', [NAMES.agent]: ctx.bundle.manifest.name }
    if (!isFresh) instruments.runsResumed.add(1)
  }

  modelCallBegins(call: ModelCall): void {
    this.#endCall(call, 'retried')
    this.#modelCalls++
    this.#models.set(keyOf(call), { call, begunAt: performance.now(), hasChunk: false })
  }

  chunkArrives(call: ModelCall): void {
    const timing = this.#models.get(keyOf(call))
    if (!timing || timing.hasChunk) return
    timing.hasChunk = true
    this.#instruments.timeToFirstChunk?.record(
      secondsSince(timing.begunAt),
      this.#attributesOf(timing.call),
    )
  }

  reasons(call: ModelCall, tokens: number): void {
    this.#instruments.countTokens({ reasoning: tokens }, this.#attributesOf(call))
  }

  modelCallEnds(call: ModelCall, { usage }: ModelResult, ctx: RunContext): void {
    const attributes = this.#attributesOf(call)
    this.#instruments.countTokens(usage, attributes)
    const cost = ctx.scope.find(Pricing)?.price(call.config, usage, ctx.bundle)
    if (cost !== undefined && cost > 0) this.#instruments.cost.add(cost / NANO, attributes)
    this.#endCall(call)
  }

  modelCallFails(call: ModelCall, code: string): void {
    this.#endCall(call, code)
  }

  toolCallBegins(id: string, tool: string): void {
    this.#tools.set(id, tool)
  }

  guardsDecide(level: string): void {
    this.#instruments.verdicts.add(1, { [NAMES.verdict]: level })
  }

  /** Counts a call once. The name is that of a tool of the agent, not one that a model made up. */
  toolCallEnds(id: string, ms: number, code?: string): void {
    if (this.#settled.has(id)) return
    this.#settled.add(id)
    this.#instruments.toolDuration?.record(ms / 1_000, {
      [NAMES.operation]: 'execute_tool',
      [NAMES.tool]: this.#tools.get(id) ?? OTHER,
      ...failedWith(code),
    })
  }

  runEnds(reason: string, code: string | undefined): void {
    this.#instruments.runs.add(1, { [NAMES.reason]: reason, ...failedWith(code) })
    this.end(code)
  }

  /** The run ends, parks, or goes on in another process. */
  end(code?: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const { call } of [...this.#models.values()]) this.#endCall(call, 'cancelled')
    const attributes = { ...this.#agent, ...failedWith(code) }
    this.#instruments.agentDuration?.record(secondsSince(this.#begunAt), attributes)
    this.#instruments.inferenceCalls?.record(this.#modelCalls, attributes)
    this.#instruments.toolCalls?.record(this.#settled.size, attributes)
  }

  #attributesOf({ config: { provider, model } }: ModelCall): Attributes {
    return {
      [NAMES.operation]: 'chat',
      [this.#instruments.provider]: providerName(provider),
      [NAMES.requestModel]: model,
    }
  }

  #endCall(call: ModelCall, code?: string): void {
    const timing = this.#models.get(keyOf(call))
    if (!timing) return
    this.#models.delete(keyOf(call))
    this.#instruments.inferenceDuration.record(secondsSince(timing.begunAt), {
      ...this.#attributesOf(timing.call),
      ...failedWith(code),
    })
  }
}
