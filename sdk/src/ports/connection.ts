import type { AgentBundle, Json, JsonObject } from '@amodal/kernel'

export type AccessTier = 'allow' | 'confirm' | 'review' | 'never'

/** A rule of `access.json`: `POST /api/deals/{id}`. */
export interface AccessRule {
  /** Upper case; `*` is any. */
  readonly method: string
  readonly path: string
  readonly tier: AccessTier
  readonly reason?: string
  /** Entities that the answer holds. */
  readonly returns: readonly string[]
  readonly thresholds: readonly Threshold[]
}

/** `field` is a path into the request: `body.amount`, `body.items[].qty`, `query.limit`, `path.id`, `headers.x`. */
export interface Threshold { readonly field: string; readonly above?: number; readonly below?: number; readonly equals?: Json; readonly escalate: AccessTier }

export interface FieldRestriction {
  readonly entity: string
  readonly field: string
  readonly policy: 'never_retrieve' | 'retrieve_but_redact' | 'role_gated'
  readonly sensitivity: string
  readonly reason?: string
  readonly allowedRoles: readonly string[]
}

/** Only rows whose `field` is the person's own `userContextField`. */
export interface RowScope { readonly entity: string; readonly field: string; readonly userContextField: string; readonly label: string }

/** `access.json` with every spelling made one. */
export interface AccessRules {
  readonly rules: readonly AccessRule[]
  readonly fallback: { readonly read: AccessTier; readonly write: AccessTier }
  readonly fieldRestrictions: readonly FieldRestriction[]
  readonly rowScoping: readonly RowScope[]
  readonly delegations: { readonly enabled: boolean; readonly escalateConfirm: boolean; readonly maxDurationDays?: number }
  readonly alternativeLookups: readonly { readonly restrictedField: string; readonly alternativeEndpoint: string; readonly description: string }[]
}

/** A folder of `connections/` (or a server of `mcp.servers`), checked. One that is broken is not among them. */
export interface Connection {
  readonly name: string
  readonly protocol: 'rest' | 'mcp'
  /** `spec.json` as read, `env:` references unresolved. */
  readonly spec: JsonObject
  readonly access: AccessRules
  /** `false`: it has no `access.json`, so that the rules are the defaults. */
  readonly accessGiven: boolean
  /** Texts of `surface.md`, `entities.md` and `rules.md`; empty where there is none. */
  readonly surface: string
  readonly entities: string
  readonly rules: string
  readonly file: string
}

/** Connections that this bundle has, as the plugin `connections` has read them. */
export function connectionsOf(bundle: AgentBundle): readonly Connection[] {
  return (bundle.parts['connections'] ?? []) as unknown as readonly Connection[] // made and checked by that plugin, and frozen since
}
