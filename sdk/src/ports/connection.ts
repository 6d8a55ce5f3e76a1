import { registry, type Json, type JsonObject } from '@amodal/kernel'
import type { AgentBundle, BundleIssue } from './bundle.ts'
import type { RestSpec } from './rest-connection.ts'

export type AccessTier = 'allow' | 'confirm' | 'review' | 'never'

/** A rule of `access.json`: `POST /api/deals/{id}`. */
export interface AccessRule {
  /**
   * Upper case; `*` is any. `QUERY` and `MUTATION` name a field of GraphQL in `path`, `CALL` a tool
   * of MCP.
   */
  readonly method: string
  readonly path: string
  readonly tier: AccessTier
  /** The agent knows of no such endpoint or tool; its tier is `never`. */
  readonly hidden?: true
  /**
   * What a caller has to declare: `read` lets nothing through that may change something;
   * `confirmed_write` always asks a person.
   */
  readonly intent?: 'read' | 'write' | 'confirmed_write'
  readonly reason?: string
  /** Entities that the answer holds. */
  readonly returns: readonly string[]
  /**
   * The only fields of the answer that may pass; `*`: all that are not restricted, whatever form
   * the answer has. Of GraphQL, paths in names of the schema. Left out: see `guard-fields`.
   */
  readonly allowFields?: readonly string[]
  readonly thresholds: readonly Threshold[]
  /**
   * `ignore`: no person is asked although untrusted text may have caused this call or its
   * arguments.
   */
  readonly taint?: 'ignore'
}

/**
 * `field` is a path into the request: `body.amount`, `body.items[].qty`, `query.limit`, `path.id`,
 * `headers.x`.
 */
export interface Threshold {
  readonly field: string
  readonly above?: number
  readonly below?: number
  readonly equals?: Json
  readonly escalate: AccessTier
}

export interface FieldRestriction {
  readonly entity: string
  readonly field: string
  readonly policy: 'never_retrieve' | 'retrieve_but_redact' | 'role_gated'
  readonly sensitivity: string
  readonly reason?: string
  readonly allowedRoles: readonly string[]
}

/** Only rows whose `field` is the person's own `userContextField`. */
export interface RowScope {
  readonly entity: string
  readonly field: string
  readonly userContextField: string
  readonly label: string
  /**
   * The query parameter by which the target itself filters; without it only the answer is filtered.
   */
  readonly param?: string
}

/** `access.json` with every spelling made one. */
export interface AccessRules {
  readonly rules: readonly AccessRule[]
  readonly fallback: {
    readonly read: AccessTier
    readonly write: AccessTier
    /** Kinds of which only what is listed is there for the agent. */ readonly hidden?: readonly (
      | 'read'
      | 'write'
    )[]
  }
  readonly fieldRestrictions: readonly FieldRestriction[]
  readonly rowScoping: readonly RowScope[]
  readonly delegations: {
    readonly enabled: boolean
    readonly escalateConfirm: boolean
    readonly maxDurationDays?: number
  }
  readonly alternativeLookups: readonly {
    readonly restrictedField: string
    readonly alternativeEndpoint: string
    readonly description: string
  }[]
}

/**
 * A folder of `connections/` (or a server of `mcp.servers`), checked. One that is broken is not
 * among them.
 */
export interface Connection {
  readonly name: string
  readonly protocol: 'rest' | 'mcp'
  /** `spec.json` as read, `env:` references unresolved. */
  readonly spec: JsonObject
  /** The same with every spelling made one; of HTTP connections only. */
  readonly rest?: RestSpec
  readonly access: AccessRules
  /** `false`: it has no `access.json`, so that the rules are the defaults. */
  readonly accessGiven: boolean
  /** Texts of `surface.md`, `entities.md` and `rules.md`; empty where there is none. */
  readonly surface: string
  readonly entities: string
  readonly rules: string
  readonly file: string
}

/** A connection that is left out, and why. */
export interface BrokenConnection {
  readonly name: string
  readonly kind: 'rest' | 'mcp'
  readonly error: string
  readonly file: string
}

/** Connections that this bundle has, as the plugin `connections` has read them. */
export function connectionsOf(bundle: AgentBundle): readonly Connection[] {
  // made and checked by that plugin, and frozen since
  return (bundle.parts['connections'] ?? []) as unknown as readonly Connection[]
}

/** Whether the owner says that only they write into that system (`trusted: true` in its spec). */
export const isTrusted = ({ spec }: Connection): boolean => spec['trusted'] === true

/** Connections that this bundle would have, were their files in order. */
export function brokenConnectionsOf(bundle: AgentBundle): readonly BrokenConnection[] {
  // the same
  return (bundle.parts['connections.broken'] ?? []) as unknown as readonly BrokenConnection[]
}

/** How a connection fares. */
export interface ConnectionStatus {
  readonly name: string
  readonly kind: 'rest' | 'mcp'
  readonly status: 'ready' | 'connecting' | 'failed'
  readonly toolCount?: number
  readonly error?: string
}
/** Status reports of plugins that serve connections; the key is chosen by the plugin. */
export const ConnectionStatuses =
  registry<(bundle: AgentBundle) => readonly ConnectionStatus[]>('connection-statuses')

/**
 * Whether a connection can be tested without a tenant: all variables that it names are set, and no
 * part of it depends on the tenant.
 */
export function isTriable(bundle: AgentBundle, connection: Connection): boolean {
  return (
    unsetOf(bundle, connection).length === 0 && !JSON.stringify(connection.spec).includes('"scope:')
  )
}

/** Variables that a connection names and that are not set, wherever its parts are written. */
export function unsetOf(
  { references }: AgentBundle,
  { file, spec }: Connection,
): readonly string[] {
  const text = JSON.stringify(spec)
  return [
    ...new Set(
      references
        .filter(
          ({ name, set, where }) =>
            !set && (where.startsWith(`${file}:`) || text.includes(`"env:${name}"`)),
        )
        .map(({ name }) => name),
    ),
  ]
}

/**
 * Asks what the agent reaches outside whether it answers: an issue for each that does not. `amodal
 * validate` runs them.
 */
export const LiveChecks =
  registry<(bundle: AgentBundle, signal: AbortSignal) => Promise<readonly BundleIssue[]>>(
    'live-checks',
  )
