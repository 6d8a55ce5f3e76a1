import { definePlugin, type PreparedCall } from '@amodal/sdk'
import { z } from 'zod'
import { originsContext, reasonOf, shownOrigin, type Origin } from './origin.ts'
import { isTainted, originsOf } from './origins.ts'
import { carriedOut } from './reads.ts'
import { staysInside } from './inside.ts'
import { AskedOnce } from './asked-once.ts'
import { Taint } from './taint.ts'

/**
 * Keeps what came from outside from choosing what is done outside: whom a write goes to, where, how much, what is run.
 * Such a call waits for a person, who sees where each value is from.
 */
export const guardTaint = definePlugin({
  name: 'guard-taint',
  version: '0.1.0',
  after: ['guard-access'],
  config: z.strictObject({
    inside: z.array(z.string().min(1)).default([]).describe('tools, besides stores, that change nothing outside of the agent'),
    flowChars: z.int().min(0).default(80).describe('characters of a text of one connection that a read of another one may carry; 0: any'),
    maxChars: z.int().min(10_000).default(2_000_000).describe('characters of each conversation that are remembered; of what is older nobody knows where it is from'),
  }),
  setup({ config: { inside, flowChars, maxChars }, hooks }) {
    const taint = new Taint(maxChars)
    const asked = new AskedOnce()
    hooks.tools.list.tap((list, ctx) => {
      taint.told(list, ctx)
      return undefined
    }, { stage: 'last' })
    hooks.tool.guard.tap((verdict, call, ctx) => {
      const write = isWrite(call)
      // What reads the agent's own things takes nothing out.
      if (verdict.level === 'deny' || call.tool.dispatches || !(write || call.action)) return undefined
      const known = taint.known(ctx, call.tool)
      const origins: readonly Origin[] = write ? originsOf(call, known) : carriedOut(call, known, flowChars)
      if (origins.length === 0) return undefined
      const raises = isTainted(known) && !(write && staysInside(call.tool, ctx.bundle, inside))
      if (!raises && verdict.level === 'allow') return undefined
      return verdict.raise(raises ? 'confirm' : 'allow', reasonOf(origins), originsContext(asked.with(call, origins.map((origin) => shownOrigin(origin, (tool) => taint.isPrivate(tool, ctx))))))
    }, { stage: 'guard' })
  },
})

/** By what the call does; by its tool, where that does not say. */
const isWrite = ({ tool, action }: PreparedCall): boolean => (action ? action.effect === 'write' : !tool.readOnly)

export default guardTaint
