import {
  type AgentBundle,
  Clock,
  definePlugin,
  err,
  failure,
  type Generation,
  type PreparedCall,
  type RunContext,
  atMost,
  TaintIgnored,
} from '@amodal/sdk'
import { AssetStore } from '@amodal/sdk/loop'
import { z } from 'zod'
import { originsContext, reasonOf, shownOrigin, type Origin } from './origin.ts'
import { FileTexts } from './file-texts.ts'
import { isTainted, originsOf } from './origins.ts'
import { carriedOut } from './reads.ts'
import { isInternal } from './internal-tool.ts'
import { ApprovalOrigins } from './approval-origins.ts'
import { judge } from './judge.ts'
import { aboutCall, unrequestedPart } from './requested/unrequested.ts'
import { TRUSTED } from './session-texts.ts'
import { type Known, Taint } from './taint.ts'

/** ms that a call waits for the judge, before it waits for a person. */
const JUDGE_MS = 20_000

/**
 * Prevents untrusted content from deciding what a write does: to whom, where, how much, what is
 * run. Such a call waits for a person, who sees the origin of each value.
 */
export const guardTaint = definePlugin({
  name: 'guard-taint',
  version: '0.1.0',
  requires: { clock: Clock },
  optional: { assets: AssetStore },
  after: ['guard-access'],
  config: z.strictObject({
    inside: z
      .array(z.string().min(1))
      .default([])
      .describe('tools, besides stores, that change nothing outside of the agent'),
    flowChars: z
      .int()
      .min(0)
      .default(80)
      .describe(
        'characters of a text of one connection that a read of another one may carry; 0: any',
      ),
    maxChars: z
      .int()
      .min(10_000)
      .default(2_000_000)
      .describe(
        'characters of each conversation that are remembered; of what is older nobody knows where it is from',
      ),
    judge: z
      .enum(['model', 'words'])
      .default('model')
      .describe(
        'who finds out whether a person asked for a call: a model that is given nothing of a stranger, or lists of words alone',
      ),
    trusted: z
      .array(z.enum(TRUSTED))
      .default([])
      .describe(
        "what comes with a person's message and is theirs as well: images, files, the front end's `context`",
      ),
  }),
  setup({ config, hooks, generation, deps: { clock, assets }, log }) {
    const { inside, flowChars, maxChars, trusted } = config
    const judged = async (
      call: PreparedCall,
      why: readonly Origin[],
      known: Known,
      ask: NonNullable<RunContext['ask']>,
    ): Promise<string | undefined> => {
      const verdict =
        (await atMost(JUDGE_MS, judge(call, why, known, clock.now(), ask))) ??
        err(failure('MODEL_TIMEOUT', `the model that judges took longer than ${JUDGE_MS} ms`))
      if (verdict.ok) return verdict.value
      log.warn('taint.not_judged', { code: verdict.error.code, message: verdict.error.message })
      return undefined
    }
    const taint = new Taint(maxChars, trusted)
    const files = new FileTexts(assets, maxChars)
    const asked = new ApprovalOrigins()
    hooks.tools.list.tap(
      (list, ctx) => {
        taint.told(list, ctx)
        return undefined
      },
      { stage: 'last' },
    )
    hooks.tool.guard.tap(
      async (verdict, call, ctx) => {
        const write = isWrite(call)
        // A read of the agent's own data sends nothing outside.
        if (verdict.level === 'deny' || call.tool.dispatches || !(write || call.action))
          return undefined
        const said = await files.of(ctx)
        const known = taint.known(ctx, call.tool, said)
        const raises =
          isTainted(known) &&
          !(write && isInternal(call.tool, ctx.bundle, inside)) &&
          !isIgnored(call, ctx.bundle, generation())
        const chosen: readonly Origin[] = write
          ? originsOf(call, known)
          : carriedOut(call, known, flowChars)
        // Inner calls of a tool belong to its call, which was checked.
        const isAsking = chosen.length === 0 && raises && write && !call.outer
        const unsaid = isAsking ? await unrequestedPart(call, known, clock.now()) : chosen
        const isJudged = isAsking && config.judge === 'model' && ctx.ask !== undefined
        const words = isJudged ? await judged(call, unsaid, known, ctx.ask) : undefined
        if (words !== undefined)
          return verdict.raise('allow', `asked for by "${words}", as a model judges`)
        const origins = isJudged && unsaid.length === 0 ? [aboutCall(call, known)] : unsaid
        if (origins.length === 0) return undefined
        if (!raises && verdict.level === 'allow') return undefined
        return verdict.raise(
          raises ? 'confirm' : 'allow',
          reasonOf(origins),
          originsContext(
            asked.with(
              call,
              origins.map((origin) => shownOrigin(origin, (tool) => taint.isPrivate(tool, ctx))),
            ),
          ),
        )
      },
      { stage: 'guard', ...(config.judge === 'model' && { timeoutMs: 2 * JUDGE_MS }) },
    )
  },
})

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

export default guardTaint
