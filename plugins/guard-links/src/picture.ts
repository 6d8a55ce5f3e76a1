import type { ToolContent } from '@amodal/sdk'
import { destinationOf } from './address.ts'
import type { LinkPolicy } from './tag-rules.ts'

/** Parts of a result without pictures that a client would load from a host nobody listed. */
export function loadsNothing(
  content: readonly ToolContent[],
  { loads }: LinkPolicy,
): readonly ToolContent[] {
  const seen = content.map((part): ToolContent => {
    if (part.type !== 'image' || part.isUrl !== true) return part
    const destination = destinationOf(part.data)
    if (destination.to === 'own' || (destination.to === 'host' && loads(destination.host)))
      return part
    return {
      type: 'text',
      text: `[image ${destination.to === 'host' ? `from ${destination.host} ` : ''}removed]`,
      ...(part.audience ? { audience: part.audience } : {}),
    }
  })
  return seen.every((part, at) => part === content[at]) ? content : seen
}
