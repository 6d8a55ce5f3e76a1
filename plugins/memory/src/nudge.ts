import type { PromptSection, RunContext } from '@amodal/sdk'
import { mayCall } from '@amodal/plugin-subagents/tokens'
import type { MemorySettings } from './settings.ts'
import { REMEMBER } from './tools.ts'
import { mayEdit } from './settings.ts'

/** Reminds the model, every few messages of a person, to keep what later conversations need. */
export function nudgeSection(settings: MemorySettings, ctx: RunContext): PromptSection | undefined {
  const { nudgeInterval: interval } = settings
  if (interval === 0 || ctx.delegated === true) return undefined
  const turns = ctx.messages.filter(({ role }) => role === 'user').length
  if (turns === 0 || turns % interval !== 0) return undefined
  if (!mayEdit(settings, ctx.roles) || !mayCall(REMEMBER, ctx)) return undefined
  const body =
    'This conversation has gone on for a while. If it has a fact that later conversations need, keep it with `remember` now.'
  return {
    id: 'memory-nudge',
    title: 'Keep what matters',
    body,
    weight: 61,
    category: 'memory',
    parts: [{ name: 'nudge', chars: body.length }],
  }
}
