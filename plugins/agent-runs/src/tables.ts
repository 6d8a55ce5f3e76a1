import { tables, type Generated, type Selectable } from '@amodal/sdk/database'
import type { Json, JsonObject } from '@amodal/sdk'
import type { EndedRunStatus } from '@amodal/sdk/wire'

export interface Tables {
  agent_runs_run: {
    tenant: Generated<string>
    session: string
    principal: string
    roles: readonly string[]
    /** The key of the request, or the session's id where it had none. */
    idem: string
    /** Of what was asked for. */
    request_hash: string
    profile: string
    task: string
    params: JsonObject | null
    limits: JsonObject
    webhook: string | null
    /** The webhook of the end has a link to the artifact. */
    webhook_link: Generated<boolean>
    created_at: Generated<Date>
    /** The job of the queue is published. */
    published: boolean
    started_at: Date | null
    /** Messages that were sent into the session: one, and one for each retry of the whole run. */
    attempt: Generated<number>
    /** Before it no attempt begins: a provider asked for time. */
    retry_at: Date | null
    canceled_at: Date | null
    cancel_reason: string | null
    ended_at: Date | null
    status: EndedRunStatus | null
    /** Whoever wanted to hear of the end has a job of the queue. */
    notified: Generated<boolean>
  }
  agent_runs_artifact: {
    tenant: Generated<string>
    id: string
    version: number
    session: string
    principal: string
    /** `run:call`: the same for every try of the call that wrote it. */
    call_key: string
    type: string
    title: string
    tags: readonly string[]
    citations: Json
    /** SHA-256 of the content. */
    hash: string
    created_at: Generated<Date>
  }
  agent_runs_content: {
    tenant: Generated<string>
    hash: string
    bytes: number
    markdown: string | null
    json: Json | null
  }
}

/** A run as the table has it. */
export type RunRow = Selectable<Tables['agent_runs_run']>

export const db = tables<Tables>()
