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
import { z } from 'zod'
import { originsContext, reasonOf, shownOrigin, type Origin } from './origin.ts'
import { isTainted, originsOf } from './origins.ts'
import { carriedOut } from './reads.ts'
import { staysInside } from './inside.ts'
import { AskedOnce } from './asked-once.ts'
import { judge } from './judge.ts'
import { unasked } from './asked/unasked.ts'
import { TRUSTED } from './session-texts.ts'
import { type Known, Taint } from './taint.ts'

/** ms that a call waits for the judge, before it waits for a person. */
const JUDGE_MS = 20_000

/**
 * Keeps what came from outside from choosing what is done outside: whom a write goes to, where, how
 * much, what is run. Such a call waits for a person, who sees where each value is from.
 */
export const guardTaint = definePlugin({
  name: 'guard-taint',
  version: '0.1.0',
  requires: { clock: Clock },
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
      .enum(['words', 'model'])
      .default('words')
      .describe(
        'who finds out whether a person asked for a call: lists of words, or, where these do not know, a model that is given nothing of a stranger',
      ),
    trusted: z
      .array(z.enum(TRUSTED))
      .default([])
      .describe(
        "what comes with a person's message and is theirs as well: images, files, the front end's `context`",
      ),
  }),
  setup({ config, hooks, generation, deps: { clock }, log }) {
    const { inside, flowChars, maxChars, trusted } = config
    const allowed = async (
      call: PreparedCall,
      why: readonly Origin[],
      known: Known,
      ask: RunContext['ask'],
    ): Promise<string | undefined> => {
      if (config.judge === 'words' || !ask) return undefined
      const judged =
        (await atMost(JUDGE_MS, judge(call, why, known, ask))) ??
        err(failure('MODEL_TIMEOUT', `the model that judges took longer than ${JUDGE_MS} ms`))
      if (judged.ok) return judged.value
      log.warn('taint.not_judged', { code: judged.error.code, message: judged.error.message })
      return undefined
    }
    const taint = new Taint(maxChars, trusted)
    const asked = new AskedOnce()
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
        // What reads the agent's own things takes nothing out.
        if (verdict.level === 'deny' || call.tool.dispatches || !(write || call.action))
          return undefined
        const known = taint.known(ctx, call.tool)
        const raises =
          isTainted(known) &&
          !(write && staysInside(call.tool, ctx.bundle, inside)) &&
          !isIgnored(call, ctx.bundle, generation())
        const chosen: readonly Origin[] = write
          ? originsOf(call, known)
          : carriedOut(call, known, flowChars)
        // What a tool's own code does belongs to the call of the tool, which was looked at.
        const origins =
          chosen.length === 0 && raises && write && !call.outer
            ? await unasked(call, known, clock.now())
            : chosen
        if (origins.length === 0) return undefined
        const words =
          chosen.length === 0 && raises ? await allowed(call, origins, known, ctx.ask) : undefined
        if (words !== undefined)
          return verdict.raise('allow', `asked for by "${words}", as a model judges`)
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

/** By what the call does; by its tool, where that does not say. */
const isWrite = ({ tool, action }: PreparedCall): boolean =>
  action ? action.effect === 'write' : !tool.readOnly

/** Where files say that it does no harm. */
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
