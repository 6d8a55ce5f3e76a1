import { rolesOf } from '@amodal/plugin-roles/tokens'
import type {
  AccessRule,
  AgentBundle,
  BundleIssue,
  Connection,
  FieldRestriction,
} from '@amodal/sdk'
import { apiDocumentsOf, connectionsOf } from '@amodal/sdk/connections'
import { jsonFileIn, unknownReference, type Path } from '@amodal/sdk/files'
import { placeOfRule } from './check-rules.ts'
import { Documented, keyOf } from './documented.ts'

type Found = readonly BundleIssue[]
type PlaceOf = (path: Path) => { readonly file: string; readonly line: number }

/** An access.json, and what there is to compare it with. */
interface Compared {
  readonly bundle: AgentBundle
  readonly connection: Connection
  /** `undefined`: there is no API document, so that nobody can say what the API has. */
  readonly document: Documented | undefined
  /** Names of role files; none where the agent has no roles. */
  readonly roles: readonly string[]
  readonly placeOf: PlaceOf
}

/**
 * Holds the names in each `access.json` against the API document of its connection and the roles of
 * the agent. All of it is warnings: a document may leave out what an API has.
 */
export function withReferenceIssues(bundle: AgentBundle): AgentBundle {
  const found = connectionsOf(bundle)
    .filter(({ accessGiven }) => accessGiven)
    .flatMap((connection) => issuesOf(comparedIn(bundle, connection)))
  return found.length === 0 ? bundle : { ...bundle, issues: [...bundle.issues, ...found] }
}

function comparedIn(bundle: AgentBundle, connection: Connection): Compared {
  const file = connection.file.replace(/[^/]*$/, 'access.json')
  const json = jsonFileIn(bundle.files, file)
  const document = apiDocumentsOf(bundle)[connection.name]
  return {
    bundle,
    connection,
    document: document && new Documented(document, connection),
    roles: rolesOf(bundle).roles.map(({ name }) => name),
    placeOf: (path) => ({ file, line: json?.lineOf(path) ?? 1 }),
  }
}

function issuesOf(compared: Compared): Found {
  const { connection, document, roles } = compared
  const { access } = connection
  const restrictions = access.fieldRestrictions.flatMap((restriction, index) => [
    ...restriction.allowedRoles.flatMap(
      (name, at) =>
        // A role of an identity provider needs no file.
        unknownReference(
          {
            name,
            message: `there is no role "${name}"`,
            ...compared.placeOf(['fieldRestrictions', index, 'allowedRoles', at]),
          },
          roles,
        ) ?? [],
    ),
    ...(document ? fieldIssues(compared, document, restriction, index) : []),
  ])
  if (!document) return restrictions
  return [
    ...access.rules.flatMap((rule) => ruleIssues(compared, document, rule)),
    ...restrictions,
    ...access.rowScoping.flatMap(({ entity, field }) =>
      unknownField(document, { entity, field }, compared.placeOf(['rowScoping', entity, field])),
    ),
    ...access.alternativeLookups.flatMap(({ alternativeEndpoint }, index) =>
      lookupIssues(compared, document, alternativeEndpoint, index),
    ),
  ]
}

function ruleIssues(compared: Compared, document: Documented, rule: AccessRule): Found {
  const at = { line: 1, ...placeOfRule(rule, compared.connection, compared.bundle) }
  const entities = rule.returns.flatMap((name) => unknownEntity(compared, document, name, at) ?? [])
  const thresholds = rule.thresholds.flatMap(({ field }) => {
    const [, name] = /^(?:query|params)\.(.+)$/.exec(field) ?? []
    return name === undefined
      ? []
      : (unknownReference(
          {
            name,
            message: `\`${rule.method} ${rule.path}\` has no query parameter "${name}"`,
            ...at,
          },
          document.queryOf(rule),
        ) ?? [])
  })
  return [...operationIssues(compared, document, rule, at), ...entities, ...thresholds]
}

function operationIssues(
  { connection: { name, rest } }: Compared,
  document: Documented,
  rule: Pick<AccessRule, 'method' | 'path'> & Partial<Pick<AccessRule, 'tier'>>,
  at: ReturnType<PlaceOf>,
): Found {
  if (rule.method === 'CALL' || rule.method === 'OPTIONS' || document.hasOperation(rule)) return []
  const meant = document.nearestOperation(rule)
  // What nobody may call need not be documented; nor has a filtered document all there is.
  const isFiltered = rest && Object.values(rest.filter).some((list) => list.length > 0)
  if (meant === undefined && (rule.tier === 'never' || isFiltered === true)) return []
  return [
    {
      severity: 'warning',
      code: 'NOT_FOUND',
      message: `the API document of "${name}" (${document.from}) has no \`${rule.method} ${rule.path}\`${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`,
      ...at,
      fix: meant === undefined ? 'correct the rule, or remove it' : `write "${meant}"`,
    },
  ]
}

function lookupIssues(
  compared: Compared,
  document: Documented,
  endpoint: string,
  index: number,
): Found {
  const [, method, path] = /^([A-Z*]+) (\S+)$/.exec(endpoint) ?? []
  const at = compared.placeOf(['alternativeLookups', index, 'alternativeEndpoint'])
  return method === undefined || path === undefined
    ? []
    : operationIssues(compared, document, { method, path }, at)
}

function fieldIssues(
  compared: Compared,
  document: Documented,
  { entity, field }: FieldRestriction,
  index: number,
): Found {
  const place = (name: string): ReturnType<PlaceOf> =>
    compared.placeOf(['fieldRestrictions', index, name])
  return [
    ...(unknownEntity(compared, document, entity, place('entity')) ?? []),
    ...unknownField(document, { entity, field }, place('field')),
  ]
}

/** Names of entities are free: one is a mistake only where it is near to one that there is. */
function unknownEntity(
  { connection: { access } }: Compared,
  document: Documented,
  entity: string,
  at: ReturnType<PlaceOf>,
): Found | undefined {
  const uses = (name: string): number =>
    access.rules.filter(({ returns }) => returns.includes(name)).length +
    access.fieldRestrictions.filter((one) => one.entity === name).length
  const { entities } = document
  const isKnown = entities.some((name) => keyOf(name) === keyOf(entity))
  if (isKnown || uses(entity) > 1) return undefined
  const found = unknownReference(
    { name: entity, message: `${document.from} has no entity "${entity}"`, ...at },
    entities,
  )
  return found && [found]
}

function unknownField(
  document: Documented,
  { entity, field }: Pick<FieldRestriction, 'entity' | 'field'>,
  at: ReturnType<PlaceOf>,
): Found {
  const steps = field.split(/[./:[\]]+/).filter((step) => step !== '' && !/^\d+$/.test(step))
  const [name = field] = steps
  const own = document.fieldsOf(entity)
  const known = own ?? document.fields
  const isKnown = steps.some((step) => known.some((one) => keyOf(one) === keyOf(step)))
  if (isKnown || field.includes('*')) return []
  const found = unknownReference(
    { name, message: `${document.from} has no field "${name}" in "${entity}"`, ...at },
    known,
    own && 'correct the field, or remove it',
  )
  return found ? [found] : []
}
