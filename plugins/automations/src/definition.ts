import type { AgentBundle } from '@amodal/sdk'

export type Trigger = 'cron' | 'webhook' | 'manual'
/** What started a run. */
export type Source = 'cron' | 'webhook' | 'manual' | 'backfill'

/** Where a result goes. References (`env:NAME`) are resolved when it is sent, and never stored. */
export type Target =
  | {
      readonly type: 'webhook'
      /** `env:NAME`, or an address. */
      readonly url: string
      /** `env:NAME` of the secret that signs what is sent. */
      readonly secret?: string
    }
  | { readonly type: 'callback'; readonly name?: string }

export interface Delivery {
  readonly targets: readonly Target[]
  readonly template?: string
  /** `target`: a result waits until those before it have left for the same target. */
  readonly order: 'none' | 'target'
}

export interface FailureAlert {
  /** Failed runs in a row. */
  readonly after: number
  readonly cooldownMinutes: number
  readonly targets: readonly Target[]
}

export const SCHEMES = ['hmac-sha256', 'github', 'stripe', 'slack', 'standard-webhooks'] as const
export type Scheme = (typeof SCHEMES)[number]

export interface WebhookAuth {
  readonly type: Scheme
  /** `env:NAME`, one or two: while a secret is changed, both are accepted. */
  readonly secrets: readonly string[]
  /** Of `hmac-sha256`: where the signature stands, how it begins and how it is written. */
  readonly header?: string
  readonly prefix?: string
  readonly encoding?: 'hex' | 'base64'
  /** Name of the header whose value names a delivery, so that a replay is dropped. */
  readonly idHeader?: string
}

export type Approvals = 'wait' | 'refuse'

/** A file of `automations/`, checked. */
export interface Automation {
  /** Of the file, without its ending. */
  readonly name: string
  readonly title: string
  readonly prompt: string
  readonly trigger: Trigger
  readonly schedule?: string
  /** IANA name of the zone that the schedule is read in. */
  readonly timezone: string
  readonly delivery?: Delivery
  readonly failureAlert?: FailureAlert
  readonly writeEnabled: boolean
  /** What becomes of a call that a person has to approve: it waits for one, or is refused. */
  readonly approvals: Approvals
  readonly webhookAuth?: WebhookAuth
  /** What a run does while another one of the same automation is in progress. */
  readonly overlap: 'skip' | 'queue' | 'parallel'
  /** Which due times run that passed while no server ran. */
  readonly catchUp: 'none' | 'last' | 'all'
  /** What becomes of the events of a pause: they run when it ends, or are lost. */
  readonly whilePaused: 'hold' | 'drop'
  /** Hours for which an event is held. */
  readonly holdHours: number
  /** Seconds that a run may take; the plugin's default where it is left out. */
  readonly deadline?: number
  /** What a run may use: the name of a file of `roles/`. */
  readonly role: string
  /** The tool that a run calls in place of a model, where it is a schedule of that tool. */
  readonly tool?: string
  readonly file: string
}

export const webhookPathOf = ({ name }: Pick<Automation, 'name'>): string => `/webhooks/${name}`

/** What starts it, for a person. */
export function startOf(automation: Automation): string {
  const { trigger, schedule, timezone } = automation
  switch (trigger) {
    case 'cron':
      return `${schedule ?? ''} (${timezone})`
    case 'webhook':
      return `webhook ${webhookPathOf(automation)}`
    case 'manual':
      return 'by hand'
  }
}

/** The key of this plugin in `bundle.parts`. */
export const PART = 'automations'

/** The automations of a bundle, by name. */
export function automationsOf({ parts }: Pick<AgentBundle, 'parts'>): readonly Automation[] {
  return (parts[PART] ?? []) as unknown as readonly Automation[] // written by `readAutomations`
}
