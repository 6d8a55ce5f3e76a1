import type { JsonObject } from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'

/** Characters of an argument in a label. */
const MOST_CHARS = 80

/**
 * The title of a call, with the arguments that it names: `Watering {{bed}}` becomes `Watering b1`.
 * What is no text, number or flag leaves nothing.
 */
export const filledLabel = (label: string, args: JsonObject): string =>
  label.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (_match, name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? textStart(String(value), MOST_CHARS)
      : ''
  })
