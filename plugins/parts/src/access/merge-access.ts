import type {
  AccessRule,
  AccessRules,
  AccessTier,
  FieldRestriction,
  JsonObject,
  RowScope,
  Threshold,
} from '@amodal/sdk'
import { nameKey } from '@amodal/sdk/connections'
import { kindsOf, overlapOf, strictest } from './endpoints.ts'

type Fallback = AccessRules['fallback']

/**
 * The rules of two files as one: whatever one of them restricts is restricted. Where rules overlap
 * without being the same, the result may be stricter than both, and never less strict than one.
 *
 * @returns the rules, or what the two files contradict each other in
 */
export function mergeAccess(
  one: AccessRules,
  other: AccessRules,
): { readonly rules: AccessRules; readonly conflicts: readonly string[] } {
  const conflicts: string[] = []
  const rules = [
    ...one.rules.map((rule) => tightened(rule, other, conflicts)),
    ...other.rules.map((rule) => tightened(rule, one, conflicts)),
  ]
  const fallback = mergeFallback(one.fallback, other.fallback)
  const days = [one, other].flatMap(({ delegations }) => delegations.maxDurationDays ?? [])
  return {
    conflicts,
    rules: {
      rules: withoutRepeats(rules, conflicts),
      fallback,
      fieldRestrictions: mergeRestrictions([...one.fieldRestrictions, ...other.fieldRestrictions]),
      rowScoping: mergeScopes([...one.rowScoping, ...other.rowScoping], conflicts),
      delegations: {
        enabled: one.delegations.enabled && other.delegations.enabled,
        escalateConfirm: one.delegations.escalateConfirm || other.delegations.escalateConfirm,
        ...(days.length > 0 && { maxDurationDays: Math.min(...days) }),
      },
      alternativeLookups: [...one.alternativeLookups, ...other.alternativeLookups],
    },
  }
}

/** A rule with what the rules of another file say of the same requests. */
function tightened(
  rule: AccessRule,
  { rules, fallback }: AccessRules,
  conflicts: string[],
): AccessRule {
  const overlapping = rules.filter((other) => overlapOf(rule, other) !== 'none')
  const isCovered = rules.some((other) => overlapOf(rule, other) === 'all')
  const unlisted = isCovered ? [] : kindsOf(rule.method).map((kind) => fallback[kind])
  const isUnlistedHidden =
    !isCovered && kindsOf(rule.method).some((kind) => fallback.hidden?.includes(kind) === true)
  const stricter = [
    ...unlisted,
    ...overlapping.map(({ tier }) => tier),
    ...overlapping.flatMap((other) => thresholdTiers(rule, other)),
  ]
  const intents = new Set([rule, ...overlapping].flatMap(({ intent }) => intent ?? []))
  if (intents.size > 1)
    conflicts.push(`${nameOf(rule)} needs \`intent\` ${[...intents].join(' and ')}`)
  const [intent] = intents
  const fields = allowedFields([rule, ...overlapping])
  const { taint: _, hidden: __, allowFields: ___, ...others } = rule
  const isHidden =
    rule.hidden === true || isUnlistedHidden || overlapping.some(({ hidden }) => hidden === true)
  const blocked = fields !== undefined && fields.length === 0 ? ['never' as const] : []
  return {
    ...others,
    tier: isHidden ? 'never' : strictest([rule.tier, ...stricter, ...blocked]),
    ...(isHidden && { hidden: true as const }),
    ...(intent !== undefined && { intent }),
    returns: [...new Set([rule, ...overlapping].flatMap(({ returns }) => returns))],
    ...(fields !== undefined && fields.length > 0 && { allowFields: fields }),
    thresholds: [
      ...rule.thresholds,
      ...overlapping.flatMap((other) => (isSame(rule, other) ? other.thresholds : [])),
    ],
    // Without a rule of its own nothing of the other file says that nobody need be asked.
    ...(rule.taint === 'ignore' &&
      isCovered &&
      overlapping.every(({ taint }) => taint === 'ignore') && { taint: 'ignore' as const }),
  }
}

/** What thresholds of a rule for other paths could come to: their parameters are not known here. */
const thresholdTiers = (rule: AccessRule, other: AccessRule): readonly AccessTier[] =>
  isSame(rule, other) ? [] : other.thresholds.map(({ escalate }) => escalate)

const nameOf = ({ method, path }: AccessRule): string => `${method} ${path}`
const isSame = (rule: AccessRule, other: AccessRule): boolean =>
  rule.method === other.method && rule.path === other.path

/** The fields that every list lets pass; `undefined` where there is no list. */
function allowedFields(rules: readonly AccessRule[]): readonly string[] | undefined {
  const lists = rules.flatMap(({ allowFields }) => (allowFields ? [allowFields] : []))
  const named = lists.filter((list) => !list.includes('*'))
  if (named.length === 0) return lists[0]
  return (named[0] ?? []).filter((field) => named.every((list) => list.includes(field)))
}

/** Rules of the same endpoint stand once: both were tightened by each other. */
function withoutRepeats(rules: readonly AccessRule[], conflicts: string[]): readonly AccessRule[] {
  const byName = new Map<string, AccessRule>()
  for (const rule of rules) {
    const other = byName.get(nameOf(rule))
    if (other === undefined) {
      byName.set(nameOf(rule), rule)
      continue
    }
    byName.set(nameOf(rule), {
      ...other,
      thresholds: distinct<Threshold>([...other.thresholds, ...rule.thresholds]),
    })
  }
  if (byName.size > 5_000) conflicts.push('there are more than 5000 endpoints')
  return [...byName.values()]
}

function distinct<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}

function mergeFallback(one: Fallback, other: Fallback): Fallback {
  const hidden = (['read', 'write'] as const).filter(
    (kind) => one.hidden?.includes(kind) === true || other.hidden?.includes(kind) === true,
  )
  return {
    read: strictest([one.read, other.read]),
    write: strictest([one.write, other.write]),
    ...(hidden.length > 0 && { hidden }),
  }
}

const POLICIES: readonly FieldRestriction['policy'][] = [
  'role_gated',
  'retrieve_but_redact',
  'never_retrieve',
]

function mergeRestrictions(all: readonly FieldRestriction[]): readonly FieldRestriction[] {
  const byField = new Map<string, FieldRestriction>()
  for (const restriction of all) {
    const name = nameKey(`${restriction.entity}.${restriction.field}`)
    const other = byField.get(name)
    byField.set(name, other ? stricterRestriction(other, restriction) : restriction)
  }
  return [...byField.values()]
}

function stricterRestriction(one: FieldRestriction, other: FieldRestriction): FieldRestriction {
  if (one.policy === 'role_gated' && other.policy === 'role_gated')
    return {
      ...one,
      allowedRoles: one.allowedRoles.filter((role) => other.allowedRoles.includes(role)),
    }
  return POLICIES.indexOf(other.policy) > POLICIES.indexOf(one.policy) ? other : one
}

function mergeScopes(all: readonly RowScope[], conflicts: string[]): readonly RowScope[] {
  const byField = new Map<string, RowScope>()
  for (const scope of all) {
    const name = nameKey(`${scope.entity}.${scope.field}`)
    const other = byField.get(name)
    if (other !== undefined && other.userContextField !== scope.userContextField)
      conflicts.push(
        `rows of ${scope.entity} are scoped by ${other.userContextField} and by ${scope.userContextField}`,
      )
    byField.set(name, other ?? scope)
  }
  return [...byField.values()]
}

/** Rules as the text of an access.json that is read as the same rules. */
export function accessText(rules: AccessRules): string {
  const { fallback, fieldRestrictions, rowScoping, delegations, alternativeLookups } = rules
  const tierOf = (kind: 'read' | 'write'): string =>
    fallback.hidden?.includes(kind) === true ? 'hidden' : fallback[kind]
  const scoped = new Map<string, JsonObject>()
  for (const { entity, field, ...scope } of rowScoping)
    scoped.set(entity, { ...scoped.get(entity), [field]: { type: 'field_match', ...scope } })
  const access = {
    endpoints: Object.fromEntries(rules.rules.map((rule) => [nameOf(rule), ruleText(rule)])),
    default: { read: tierOf('read'), write: tierOf('write') },
    fieldRestrictions,
    rowScoping: Object.fromEntries(scoped),
    delegations,
    alternativeLookups,
  }
  return `${JSON.stringify(access, undefined, 2)}\n`
}

function ruleText(rule: AccessRule): object {
  const { tier, hidden, intent, reason, returns, allowFields, thresholds, taint } = rule
  return {
    confirm: hidden === true ? 'hidden' : tier,
    ...(intent !== undefined && { intent }),
    ...(reason !== undefined && { reason }),
    ...(returns.length > 0 && { returns }),
    ...(allowFields && { allow_fields: allowFields }),
    ...(thresholds.length > 0 && { thresholds }),
    ...(taint !== undefined && { taint }),
  }
}
