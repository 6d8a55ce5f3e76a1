import type { AccessTier, Json } from '@amodal/sdk'

/** Every spelling of a tier that `access.json` may hold. */
export const SPELLINGS = 'false, "allow", true, "confirm", "review", "never", "deny", "hidden"'

/** The one word for a spelling, or `undefined` where it is none. */
export function tierOf(spelling: Json | undefined): AccessTier | undefined {
  switch (spelling) {
    case false:
    case 'allow':
      return 'allow'
    case true:
    case 'confirm':
      return 'confirm'
    case 'review':
      return 'review'
    case 'never':
    case 'deny':
    case 'hidden':
      return 'never'
    default:
      return undefined
  }
}

/** Spelled so that there is no such endpoint for the agent. */
export const isHidden = (spelling: Json | undefined): boolean => spelling === 'hidden'
