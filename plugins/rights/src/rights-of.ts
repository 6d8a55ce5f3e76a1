import { seenBy, type Connection, type Generation, RoleView } from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { REQUEST } from '@amodal/plugin-connect-rest/tokens'
import { accessOf, namedOperations, type Operation } from '@amodal/plugin-guard-access/tokens'
import { maySee } from '@amodal/plugin-guard-fields/tokens'
import { knownTools } from '@amodal/plugin-loop/tokens'
import { rolesHeld } from '@amodal/plugin-roles/tokens'
import type { Draft } from './draft.ts'
import type { Right, Rights } from './right.ts'
import { partPath } from '@amodal/sdk/files'

/** Of one connection: what is compared of it. */
interface Names {
  readonly operations: readonly Operation[]
  /** Restricted fields, as `entity.field`. */
  readonly fields: readonly string[]
}
/** By the name of the connection. */
export type ComparedNames = ReadonlyMap<string, Names>

/** What the rules of drafts name, so that each is judged in all of them. */
export function namesIn(drafts: readonly Draft[]): ComparedNames {
  const byName = Map.groupBy(
    drafts.flatMap(({ bundle }) => connectionsOf(bundle)),
    ({ name }) => name,
  )
  return new Map(
    [...byName].map(([name, connections]) => {
      const operations = connections.flatMap(namedOperations)
      return [
        name,
        {
          operations: [
            ...new Map(
              operations.map((one) => [`${one.method} ${one.path}`, one] as const),
            ).values(),
          ],
          fields: [...new Set(connections.flatMap(fieldsOf))],
        },
      ] as const
    }),
  )
}

const fieldsOf = ({ access }: Connection): readonly string[] =>
  access.fieldRestrictions.map(({ entity, field }) => `${entity}.${field}`)

/**
 * What somebody with these roles may do, decided by the guards of roles, connections and fields.
 * Tools of MCP servers are not known without connecting to them; the rules for them are.
 */
export function rightsOf(
  { bundle, tools: declared }: Draft,
  roles: readonly string[],
  names: ComparedNames,
  generation: Generation,
): Rights {
  const held = rolesHeld(bundle, roles)
  if (held?.length === 0) return new Map()
  const { scope } = generation
  const seen = seenBy(bundle, roles, scope)
  const view = scope.find(RoleView)
  const mayUse = (tool: string): boolean => view?.allows(tool, seen) ?? true
  const others = knownTools(generation, seen).filter(({ file }) => !isOwn(file))
  const own = declared.filter(({ name }) => mayUse(name))
  const rights = new Map<string, Right>()
  for (const { name, taint, tier = 'allow' } of others)
    if (mayUse(name))
      rights.set(`tool ${name}`, {
        what: `use the tool \`${name}\``,
        level: tier,
        ignoresTaint: taint === 'ignore',
      })
  for (const { hidden, ignoresTaint, name, tier } of own)
    if (!hidden)
      rights.set(`tool ${name}`, {
        what: `use the tool \`${name}\``,
        level: tier ?? 'allow',
        isOwn: tier === undefined,
        ignoresTaint,
      })
  const mayRequest = own.length > 0 || others.some(({ name }) => name === REQUEST && mayUse(name))
  for (const connection of connectionsOf(seen))
    if (connection.protocol === 'mcp' || mayRequest)
      addConnection(rights, connection, names.get(connection.name), roles)
  const automations = held?.map((role) => role.automations) ?? [{ view: true, manage: true }]
  if (automations.some((one) => one.view)) rights.set('automations view', VIEW)
  if (automations.some((one) => one.manage)) rights.set('automations manage', MANAGE)
  return rights
}

const VIEW: Right = { what: 'look at automations', level: 'allow', isPlain: true }
const MANAGE: Right = {
  what: 'run, pause and resume automations',
  level: 'allow',
  isPlain: true,
}

const isOwn = (file: string | undefined): boolean => partPath(file ?? '').startsWith('tools/')

function addConnection(
  rights: Map<string, Right>,
  connection: Connection,
  { fields, operations }: Names = { fields: [], operations: [] },
  roles: readonly string[],
): void {
  const { access, name } = connection
  for (const one of accessOf(connection, operations)) {
    const { conditions, ignoresTaint, tier } = one
    rights.set(`call ${name} ${one.name}`, {
      what: one.isNamed ? `call \`${one.name}\` of \`${name}\`` : `make ${one.name} of \`${name}\``,
      level: tier === 'never' ? 'none' : (tier ?? 'allow'),
      isOwn: tier === undefined,
      conditions,
      ignoresTaint,
    })
  }
  for (const field of fields) {
    const restriction = access.fieldRestrictions.find(
      (one) => `${one.entity}.${one.field}` === field,
    )
    rights.set(`see ${name} ${field}`, {
      what: `see the field \`${field}\` of \`${name}\``,
      level: levelOf(restriction, roles),
      isPlain: true,
    })
  }
}

function levelOf(
  restriction: Connection['access']['fieldRestrictions'][number] | undefined,
  roles: readonly string[],
): Right['level'] {
  if (!restriction || maySee(restriction, roles)) return 'allow'
  return restriction.policy === 'never_retrieve' ? 'none' : 'masked'
}
