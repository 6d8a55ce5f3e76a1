import type { Json, JsonObject } from '@amodal/sdk'

/** Something that changed on the server. */
export type LiveEvent = JsonObject & {
  readonly seq: number
  readonly timestamp: string
  readonly type: string
}

/** What the model is sent, and what each part of it costs. */
export interface ContextReport {
  readonly name: string | null
  readonly model: string | null
  readonly provider: string | null
  readonly notice?: string
  readonly system_prompt: string
  readonly segments: readonly {
    readonly id: string
    readonly plugin: string
    readonly category: string
    readonly at: number | null
    readonly chars: number
  }[]
  readonly token_usage: {
    readonly total: number
    readonly used: number
    readonly remaining: number
    readonly sectionBreakdown: Readonly<Record<string, number>>
  }
  readonly contributions: readonly {
    readonly name: string
    readonly category: string
    readonly tokens: number
    readonly plugin?: string
    readonly filePath?: string
  }[]
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    readonly read_only: boolean
    readonly filePath?: string
  }[]
  readonly connections: readonly {
    readonly name: string
    readonly kind: string
    readonly status: string
    readonly error?: string
  }[]
  readonly skills: readonly { readonly name: string; readonly description?: string }[]
}

/** What was sent last in one session. */
export interface SentReport {
  readonly at: string
  readonly step: number
  readonly model: string
  readonly provider: string
  readonly tools: readonly string[]
  readonly messages: readonly {
    readonly role: string
    readonly plugin: string
    readonly chars: number
  }[]
}

/** The agent's health; without access, only its status. */
export interface HealthReport {
  readonly status: string
  readonly problems?: readonly string[]
  readonly problem_details?: readonly {
    readonly text: string
    readonly source?: string
    readonly fix?: string
  }[]
}

export interface Me {
  readonly id: string
  readonly role: string | null
  readonly name?: string
  readonly scopes: readonly string[]
}

interface OfferedView {
  readonly key: string
  readonly title: string
  readonly icon?: string
}

/** A view of another plugin: widgets that its route answers with. */
export interface WidgetView extends OfferedView {
  readonly route: string
  readonly refreshOn: readonly string[]
}

/** A view of the studio that is there where the plugin is that has its data. */
export interface BuiltInView extends OfferedView {
  readonly built_in: 'runs'
}

export type PluginView = WidgetView | BuiltInView

/** What such a view shows. */
export interface Shown {
  readonly widgets: readonly { readonly widget_type: string; readonly data: Json }[]
}

/** What an automation is doing, as far as the studio shows it beside a page. */
export interface AutomationState {
  readonly name: string
  readonly title: string
  readonly schedule?: string
  readonly trigger: string
  readonly running: boolean
  readonly nextRun?: string
  readonly lastRun?: string
  readonly lastRunStatus?: string
  readonly lastRunSessionId?: string
}

/** A document of a store. */
export interface StoredDocument {
  readonly key: string
  readonly version: number
  readonly payload: JsonObject
  readonly meta: {
    readonly computedAt: string
    readonly stale: boolean
    readonly expiresAt?: string
  }
}

export interface PromotedCase {
  readonly kind: 'case'
  readonly file: string
  readonly text: string
  readonly notes: readonly string[]
}

export interface ReplayOutcome {
  readonly kind: 'replay'
  readonly entries: number
  readonly difference?: string
  readonly problems: readonly string[]
}

/** What somebody may do, in one respect, as the guards judge it. */
export interface RightShown {
  readonly key: string
  readonly kind: string
  readonly connection?: string
  readonly what: string
  readonly level: 'none' | 'masked' | 'review' | 'confirm' | 'allow'
  readonly how: string
  readonly conditions: readonly string[]
  readonly ignores_taint: boolean
}

export interface RightsShown {
  readonly subjects: readonly { readonly name: string; readonly rights: readonly RightShown[] }[]
}

export interface ConnectionSummary {
  readonly name: string
  readonly kind: string
  readonly status?: string
  readonly error?: string
}

/** An operation of a connection; parameters and body where its API document has them. */
export interface OperationShown {
  readonly method: string
  readonly path: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly type: string
    readonly required: boolean
    readonly description?: string
  }[]
  readonly body?: string
}

export interface ConnectionShown extends ConnectionSummary {
  readonly location?: string
  readonly transport?: string | null
  readonly spec?: { readonly baseUrl?: string; readonly authType: string | null }
  readonly surface?: readonly OperationShown[]
  readonly access?: {
    readonly rules: readonly {
      readonly method: string
      readonly path: string
      readonly tier: string
    }[]
    readonly default: { readonly read: string; readonly write: string }
  }
}

/** A store that this person may read, with its dead letters; 0 where they may not see them. */
export interface StoreLetters {
  readonly name: string
  readonly letters: number
}
