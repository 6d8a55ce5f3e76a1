import type { PrincipalId, SessionId, TenantId } from '@amodal/kernel'

/** The fields of each type of runtime event, in addition to `type`. */
export interface RuntimeEvents {
  session_created: {
    readonly sessionId: SessionId
    /** The agent's name. */ readonly appId: string
  }
  session_updated: {
    readonly sessionId: SessionId
    readonly appId: string
    readonly title?: string
  }
  session_deleted: { readonly sessionId: SessionId }
  automation_triggered: { readonly name: string; readonly source: 'cron' | 'webhook' | 'manual' }
  automation_completed: { readonly name: string; readonly durationMs: number }
  automation_failed: { readonly name: string; readonly error: string; readonly durationMs: number }
  automation_started: { readonly name: string; readonly intervalMs: number }
  automation_stopped: { readonly name: string }
  delivery_succeeded: {
    readonly automation: string
    readonly targetType: string
    readonly targetUrl?: string
    readonly httpStatus?: number
    readonly durationMs: number
  }
  delivery_failed: {
    readonly automation: string
    readonly targetType: string
    readonly targetUrl?: string
    readonly httpStatus?: number
    readonly error: string
    readonly attempts: number
  }
  store_updated: {
    readonly storeName: string
    readonly operation: 'put' | 'delete' | 'batch'
    readonly count?: number
  }
  manifest_changed: Readonly<Record<never, never>>
  files_changed: {
    readonly path?: string
    /** Why the change is not in use. */ readonly problem?: string
  }
}
export type RuntimeEventType = keyof RuntimeEvents

/**
 * Something on the server has changed: a session, a store, the agent's files. The code that makes
 * the change calls `announce`; `GET /api/events` sends it to the clients that may see it. It states
 * *that* something changed, not the new value.
 */
export type RuntimeEvent =
  | { readonly [K in RuntimeEventType]: { readonly type: K } & RuntimeEvents[K] }[RuntimeEventType]
  | PluginRuntimeEvent

/** One of a plugin's own; `defineRuntimeEvent` makes it. */
export interface PluginRuntimeEvent {
  readonly type: `${string}.${string}`
  readonly [field: string]: string | number | boolean
}

/** Who may know of it. */
export interface Audience {
  /** Whose data it is about; `SHARED_TENANT`: everybody's. */
  readonly tenant: TenantId
  /**
   * Of a session: whoever began it. Where principals see only their own sessions, only
   * this one receives the event.
   */
  readonly principal?: PrincipalId
}
