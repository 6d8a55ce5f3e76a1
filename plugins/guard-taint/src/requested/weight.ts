import type { PreparedCall } from '@amodal/sdk'
import { pathOf } from '../chosen.ts'
import { partsOf } from '../field-name.ts'
import type { Deed } from './deed.ts'
import { HEAVY_DEEDS, HEAVY_FIELDS } from './weight-lists.ts'

/** Whether a call does great harm where nobody wanted it: takes away, pays, lets in, lets out. */
export function isHeavy(call: PreparedCall, { verbs, nouns, values, isCollection }: Deed): boolean {
  const { action } = call
  if (action?.protocol !== 'rest' || action.method === 'DELETE' || isCollection) return true
  const path = pathOf(call).filter((part) => !/\d/.test(part))
  const last = [...path.slice(-1), ...(verbs.length > 0 ? verbs : nouns)].flatMap((part) => [
    part,
    ...partsOf(part),
  ])
  return last.some((part) => HEAVY_DEEDS.has(part)) &&
    !(action.method !== 'POST' && isPlainThing(path))
    ? true
    : values.some(
        ({ field, value }) =>
          !(value === true && /\.public$/.test(field) && REPLIES.test(path.at(-1) ?? '')) &&
          field
            .split('.')
            .slice(1)
            .flatMap((name) => partsOf(name.replace(/\[\d+\]/g, '')))
            .some(
              (part, _at, parts) =>
                HEAVY_FIELDS.has(part) &&
                !(part === 'limit' && parts.some((one) => /^us(?:ag)?e$/.test(one))),
            ),
      )
}

/** Who is answered reads it. */
const REPLIES = /^(?:repl(?:y|ies)|comments?|responses?|answers?)$/

/** A thing of which a field is changed, and none that is a deed itself. */
const isPlainThing = (path: readonly string[]): boolean =>
  /^(?:orders?|invoices?|cards?|groups?|teams?|members?|releases?)$/.test(path.at(-1) ?? '')
