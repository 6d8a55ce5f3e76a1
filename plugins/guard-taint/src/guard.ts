import {
  type AgentBundle,
  type AssetStore,
  atMost,
  type Clock,
  err,
  failure,
  type Generation,
  type JsonObject,
  type Logger,
  type PreparedCall,
  type RunContext,
  TaintIgnored,
  type ToolList,
  type Verdict,
} from '@amodal/sdk'
import { ApprovalOrigins } from './approval-origins.ts'
import { offerFor } from './endpoint.ts'
import { FileTexts } from './file-texts.ts'
import { grantFor } from './grants.ts'
import { isInternal } from './internal-tool.ts'
import { judge } from './judge.ts'
import { type Origin, originsContext, reasonOf, shownOrigin, unaskedCall } from './origin.ts'
import { isTainted, originsOf } from './origins.ts'
import { carriedOut } from './reads.ts'
import { JUDGE_MS, type Settings } from './settings.ts'
import { type Known, Taint } from './taint.ts'

interface Parts {
  readonly settings: Settings
  readonly clock: Clock
  readonly assets: AssetStore | undefined
  readonly log: Logger
  readonly generation: () => Generation
}

/** Decides which calls wait for a person because of what the conversation holds. */
export class Guard {
  readonly #parts: Parts
  readonly #taint: Taint
  readonly #files: FileTexts
  readonly #origins = new ApprovalOrigins()

  constructor(parts: Parts) {
    const { maxChars, trusted } = parts.settings
    this.#parts = parts
    this.#taint = new Taint(maxChars, trusted)
    this.#files = new FileTexts(parts.assets, maxChars)
  }

  /** Remembers the tools that the model of a run is offered. */
  listed(list: ToolList, ctx: RunContext): void {
    this.#taint.listed(list, ctx)
  }

  async judge(verdict: Verdict, call: PreparedCall, ctx: RunContext): Promise<Verdict | undefined> {
    const isWriting = isWrite(call)
    // A read of the agent's own data sends nothing outside.
    if (verdict.level === 'deny' || call.tool.dispatches || !(isWriting || call.action))
      return undefined
    const known = this.#taint.known(ctx, call.tool, await this.#files.of(ctx))
    const isGuarded =
      isTainted(known) &&
      !(isWriting && isInternal(call.tool, ctx.bundle, this.#parts.settings.inside)) &&
      !isIgnored(call, ctx.bundle, this.#parts.generation())
    const origins = isWriting
      ? originsOf(call, known)
      : carriedOut(call, known, this.#parts.settings.flowChars)
    // An approval that is needed for another reason shows the origins as well.
    if (!isGuarded)
      return verdict.level === 'allow' || origins.length === 0
        ? undefined
        : verdict.raise('allow', reasonOf(origins), this.#contextOf(call, origins, ctx))
    return isWriting && !call.outer
      ? this.#judgeWrite(verdict, call, origins, known, ctx)
      : this.#raised(verdict, call, origins, ctx)
  }

  /** A write of the model's own: inner calls of a tool belong to its call. */
  async #judgeWrite(
    verdict: Verdict,
    call: PreparedCall,
    origins: readonly Origin[],
    known: Known,
    ctx: RunContext,
  ): Promise<Verdict | undefined> {
    const offer = offerFor(call, ctx)
    // Where something else asks all the same, a grant would spare nobody a question.
    const context = verdict.level === 'allow' ? { grant: offer } : {}
    if (origins.length > 0) return this.#raised(verdict, call, origins, ctx, context)
    const grant = grantFor(offer, ctx)
    if (grant)
      return verdict.raise('allow', `granted for this conversation by ${grant.by} (${grant.id})`)
    const words = await this.#askedWith(call, known, ctx)
    if (words !== undefined)
      return verdict.raise('allow', `asked for by "${words}", as a model judges`)
    return this.#raised(verdict, call, [unaskedCall(call, known)], ctx, context)
  }

  /** The person's words that ask for a call, where the configuration has a model look for them. */
  async #askedWith(
    call: PreparedCall,
    known: Known,
    { ask }: RunContext,
  ): Promise<string | undefined> {
    const { settings, clock, log } = this.#parts
    if (settings.judge === 'off' || !ask) return undefined
    const verdict =
      (await atMost(JUDGE_MS, judge(call, known, clock.now(), ask))) ??
      err(failure('MODEL_TIMEOUT', `the model that judges took longer than ${JUDGE_MS} ms`))
    if (verdict.ok) return verdict.value
    log.warn('taint.not_judged', { code: verdict.error.code, message: verdict.error.message })
    return undefined
  }

  #raised(
    verdict: Verdict,
    call: PreparedCall,
    origins: readonly Origin[],
    ctx: RunContext,
    context: JsonObject = {},
  ): Verdict | undefined {
    if (origins.length === 0) return undefined
    const shown = this.#contextOf(call, origins, ctx)
    return verdict.raise('confirm', reasonOf(origins), { ...shown, ...context })
  }

  #contextOf(call: PreparedCall, origins: readonly Origin[], ctx: RunContext): JsonObject {
    const shown = origins.map((origin) =>
      shownOrigin(origin, (tool) => this.#taint.isPrivate(tool, ctx)),
    )
    return originsContext(this.#origins.with(call, shown))
  }
}

/** Whether the call writes, by its action; by its tool if it has none. */
const isWrite = ({ tool, action }: PreparedCall): boolean =>
  action ? action.effect === 'write' : !tool.readOnly

/** Whether the agent's files set `taint: ignore` for the call. */
function isIgnored(
  { tool, action, outer }: PreparedCall,
  bundle: AgentBundle,
  generation: Generation,
): boolean {
  if (tool.taint === 'ignore' || outer?.tool.taint === 'ignore') return true
  return (
    action !== undefined &&
    [...generation.registry(TaintIgnored).values()].some((ignores) => ignores(action, bundle))
  )
}
