import { describeSections, type SentModelCalls } from '@amodal/plugin-inspect/tokens'
import type { Caller, JsonObject, SessionId } from '@amodal/sdk'
import type { Thing } from './thing.ts'

/**
 * What was sent for a reply, as its reader may know it: of a prompt that was compiled for another
 * principal only the sizes, since it contains their notes and depends on their roles.
 *
 * @returns `undefined` where this process did not send it, or has forgotten it
 */
export function sentFor(
  thing: Thing,
  session: SessionId,
  { tenant, principal: reader }: Pick<Caller, 'tenant' | 'principal'>,
  calls: SentModelCalls | undefined,
): JsonObject | undefined {
  if (thing.kind !== 'reply') return undefined
  const sent = calls?.find(tenant, session, thing.entry.run, thing.entry.step)
  if (!sent) return undefined
  const { at, attempt, principal, system, sections, tools, messages } = sent
  const isOwn = principal === reader
  return {
    available: true,
    at: new Date(at).toISOString(),
    attempt,
    prompt_bytes: Buffer.byteLength(system),
    sections: [...describeSections(sections, isOwn ? system : '')],
    messages: [...messages],
    ...(isOwn ? { prompt: system, tools: [...tools] } : { tools: [], withheld: true }),
  }
}
