import { slot, type Caller, type Failure, type JsonObject, type Result } from '@amodal/sdk'

/** A member to make. */
export interface NewMember {
  /** Defaults to the name of the panel. */
  readonly title?: string
  /** Values of properties that its template lists in `set`. */
  readonly state?: JsonObject
  /** The same key again is the same member. */
  readonly key?: string
}

/** A question to members. */
export interface PanelQuestion {
  readonly message: string
  /** The same key again is the same question: who has answered it is not asked twice. */
  readonly key: string
  /** Ids of sessions; all members where it is left out. */
  readonly members?: readonly string[]
  /** Defaults to `together`. */
  readonly order?: 'together' | 'in_turn'
  /** Called with each answer as it comes. */
  readonly onAnswer?: (answer: MemberAnswer) => void
}

/** What one member answers: `response`, or `error`, or `waiting` for a person. */
export interface MemberAnswer extends JsonObject {
  readonly session_id: string
  readonly title: string
}

/**
 * Panels for plugins: what `/panels` does for clients, on behalf of a caller. Errors are
 * `NOT_FOUND` for an unknown panel, `SESSION_NOT_FOUND` for an unknown member, `PANEL_FULL`,
 * `STATE_REFUSED` and those of sessions.
 *
 * @example
 * const caller = { tenant: ctx.tenant, principal: ctx.principal, roles: ctx.roles }
 * const question = { message: 'What do you make of case 7?', key: ctx.run }
 * const answers = await panelService.ask(caller, 'doctors', question, ctx.signal)
 */
export interface PanelService {
  /** Members as clients see them, the first that was made first. */
  members(
    caller: Caller,
    panel: string,
    signal: AbortSignal,
  ): Promise<Result<readonly JsonObject[], Failure>>
  add(
    caller: Caller,
    panel: string,
    member: NewMember,
    signal: AbortSignal,
  ): Promise<Result<JsonObject, Failure>>
  /** Resolves once all have answered, in the order of the members. */
  ask(
    caller: Caller,
    panel: string,
    question: PanelQuestion,
    signal: AbortSignal,
  ): Promise<Result<readonly MemberAnswer[], Failure>>
  /** Removes a member with its conversation and state. */
  remove(
    caller: Caller,
    panel: string,
    member: string,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>>
}

export const PanelService = slot.kernel<PanelService>('panel-service')
