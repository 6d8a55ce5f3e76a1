import type { AccessRules, Action, JsonObject } from '@amodal/sdk'
import { nameKey } from '@amodal/sdk/connections'
import type { Judgement } from './judge.ts'

/** Items that are shown of a bulk write. */
const SHOWN = 50

/** The context that an approval shows in addition to the arguments. */
export function contextOf(
  action: Action,
  { escalated, rule, bulk }: Judgement,
  alternatives: readonly string[],
): JsonObject {
  return {
    endpoint: addressOf(action),
    method: action.method,
    connection_name: action.connection,
    escalated,
    ...(action.media && { content_type: action.media.type }),
    ...(rule && { rule: `${rule.method} ${rule.path}` }),
    ...(bulk && { item_count: bulk.count, items: bulk.items.slice(0, SHOWN) }),
    ...(alternatives.length > 0 && { alternatives }),
  }
}

function addressOf({ path, query }: Action): string {
  const text = new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value])),
  ).toString()
  return text === '' ? path : `${path}?${text}`
}

/**
 * Alternatives to a denied request from the rules: by the entity that the rule returns, or by the
 * name of the field.
 */
export function alternativesTo(
  { path, query }: Action,
  { rule }: Judgement,
  { alternativeLookups }: AccessRules,
): readonly string[] {
  const words = new Set(
    [path, ...Object.values(query).flat()].flatMap((text) =>
      nameKey(text).split(/[^\p{L}\p{N}_]+/u),
    ),
  )
  return alternativeLookups
    .filter(({ restrictedField }) => {
      const [entity = '', field = entity] = restrictedField.split('.')
      return (
        rule?.returns.some((one) => nameKey(one) === nameKey(entity)) === true ||
        words.has(nameKey(field))
      )
    })
    .map(({ alternativeEndpoint, description }) =>
      description === '' ? alternativeEndpoint : `${alternativeEndpoint} (${description})`,
    )
}
