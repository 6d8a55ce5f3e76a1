import {
  hashOf,
  type AgentBundle,
  type Json,
  type Logger,
  type RoleView,
  type ToolList,
} from '@amodal/sdk'
import { brokenConnectionsOf, connectionsOf } from '@amodal/sdk/connections'
import { allows, grantsOf, isAll, type Grants } from './grants.ts'

const PART = 'roles.view'

export interface ViewOptions {
  readonly defaultRole: string | undefined
  /** Tools that every role may use. */
  readonly always: readonly string[]
  readonly log: Logger
}

/** Makes each view of a bundle once, so that prompts are compiled once for each set of roles. */
export function roleView({ defaultRole, always, log }: ViewOptions): RoleView {
  const views = new WeakMap<AgentBundle, Map<string, AgentBundle>>()
  const lists = new WeakMap<AgentBundle, WeakMap<ToolList, ToolList>>()

  return {
    bundle(bundle, roles) {
      const made = views.get(bundle) ?? new Map<string, AgentBundle>()
      views.set(bundle, made)
      const key = JSON.stringify([...new Set(roles)].sort())
      const known = made.get(key)
      if (known) return known
      const { grants, unknown, none } = grantsOf(bundle, roles, defaultRole)
      if (none)
        log.warn('role.none', {
          message:
            'somebody without a role may use nothing; set `defaultRole` of the plugin roles, or give them one',
        })
      for (const role of unknown)
        log.warn('role.unknown', {
          role,
          message: `there is no roles/${role}.json in order: the role allows nothing`,
        })
      const view = isAll(grants) ? bundle : seen(bundle, grants)
      if (made.size < MOST_VIEWS) made.set(key, view)
      return view
    },

    tools(list, bundle) {
      const patterns = patternsOf(bundle)
      if (!patterns) return list
      const made = lists.get(bundle) ?? new WeakMap<ToolList, ToolList>()
      lists.set(bundle, made)
      const known = made.get(list)
      if (known) return known
      const allowed = [...patterns, ...always]
      const tools = list.tools.filter(({ name }) => allows(allowed, name))
      const shown =
        tools.length === list.tools.length
          ? list
          : Object.freeze({
              tools,
              aliases: Object.fromEntries(
                Object.entries(list.aliases).filter(([, name]) => allows(allowed, name)),
              ),
            })
      made.set(list, shown)
      return shown
    },

    allows(tool, bundle) {
      const patterns = patternsOf(bundle)
      return !patterns || allows([...patterns, ...always], tool)
    },
  }
}

/**
 * Most cached views. Roles come from credentials, so there are few sets of them; the bound protects
 * against a flood of invented ones.
 */
const MOST_VIEWS = 200

function seen(bundle: AgentBundle, grants: Grants): AgentBundle {
  const { connections, skills } = grants
  const isMine = (name: string): boolean => allows(connections, name)
  const documents = Object.entries(bundle.parts['api-documents'] ?? {}).filter(([name]) =>
    isMine(name),
  )
  return Object.freeze({
    ...bundle,
    hash: hashOf({ bundle: bundle.hash, ...grants }),
    unrestricted: bundle,
    skills: bundle.skills.filter(({ name }) => allows(skills, name)),
    parts: {
      ...bundle.parts,
      connections: some(connectionsOf(bundle), isMine),
      'connections.broken': some(brokenConnectionsOf(bundle), isMine),
      'api-documents': Object.fromEntries(documents),
      [PART]: grants.tools,
    },
  })
}

/** Parts of a bundle are plain data, and so are some of them. */
const some = (
  list: readonly { readonly name: string }[],
  isMine: (name: string) => boolean,
): Json => list.filter(({ name }) => isMine(name))

/** Which tools a view allows; `undefined`: it is the whole bundle. */
function patternsOf(bundle: AgentBundle): readonly string[] | undefined {
  return bundle.parts[PART] as readonly string[] | undefined // written above
}
