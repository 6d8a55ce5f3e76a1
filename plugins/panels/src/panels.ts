import {
  err,
  failure,
  hashOf,
  ok,
  type Agent,
  type Caller,
  type Failure,
  type JsonObject,
  type RequestLimiter,
  type Result,
  type SessionId,
  type SessionRow,
  type TurnResult,
} from '@amodal/sdk'
import { StateRefused } from '@amodal/plugin-live-state/tokens'
import { PanelFull } from './errors.ts'
import { tagOf } from './member.ts'
import { templateOf, type Template } from './template.ts'

/** More than a panel may have: sessions with its tag may have been tagged by hand. */
const LISTED = 1_000

/** A member to make, with nothing left out. */
export interface MemberDraft {
  readonly title: string
  readonly state: JsonObject
  /** The same key again is the same member. */
  readonly key: string | undefined
}

export interface Question {
  readonly text: string
  readonly key: string
}

/** Members of panels: sessions that are made from a template, and have its tag. */
export class Panels {
  readonly #agent: Agent
  readonly #limiter: RequestLimiter | undefined

  constructor(agent: Agent, limiter: RequestLimiter | undefined) {
    this.#agent = agent
    this.#limiter = limiter
  }

  template(panel: string): Result<Template, Failure> {
    const found = templateOf(this.#agent.bundle(), panel)
    return found
      ? ok(found)
      : err(failure('NOT_FOUND', `there is no panel ${JSON.stringify(panel)}`))
  }

  /** The first that was made comes first. */
  async members(
    caller: Caller,
    panel: string,
    signal: AbortSignal,
  ): Promise<Result<readonly SessionRow[], Failure>> {
    const template = this.template(panel)
    if (!template.ok) return template
    const page = await this.#agent
      .as(caller)
      .sessions({ limit: LISTED, tags: [tagOf(panel)] }, signal)
    return page.ok
      ? ok(
          page.value.rows.toSorted(
            (a, b) => a.createdAt - b.createdAt || (a.session < b.session ? -1 : 1),
          ),
        )
      : page
  }

  async member(
    caller: Caller,
    panel: string,
    session: SessionId,
    signal: AbortSignal,
  ): Promise<Result<SessionRow, Failure>> {
    const template = this.template(panel)
    if (!template.ok) return template
    const found = await this.#agent.as(caller).session(session, signal, Number.MAX_SAFE_INTEGER)
    if (!found.ok) return found
    return found.value.row.tags.includes(tagOf(panel))
      ? ok(found.value.row)
      : err(failure('SESSION_NOT_FOUND', `the panel "${panel}" has no such member`))
  }

  async add(
    caller: Caller,
    panel: string,
    { title, state, key }: MemberDraft,
    signal: AbortSignal,
  ): Promise<Result<SessionRow, Failure>> {
    const members = await this.members(caller, panel, signal)
    if (!members.ok) return members
    const template = this.template(panel)
    if (!template.ok) return template
    const { maxMembers, set } = template.value
    const closed = Object.keys(state).find((property) => !set.includes(property))
    if (closed !== undefined)
      return err(
        StateRefused(
          `state.${closed}: is not given to members of "${panel}"; ${set.join(', ') || 'no property'} is`,
        ),
      )
    if (members.value.length >= maxMembers)
      return err(PanelFull(`the panel "${panel}" has its ${maxMembers} members`))
    const client = this.#agent.as(caller)
    const opened = await client.open(
      {
        title,
        tags: [tagOf(panel)],
        meta: { panel, given: hashOf(state) },
        ...(key !== undefined && { key: `panel:${panel}:${key}` }),
      },
      signal,
    )
    // It was made before, under the same key.
    if (!opened.ok || opened.value.head > 0) return opened
    const { session } = opened.value
    const change = { panel, state: { ...template.value.state, ...state } }
    const begun = await client.change(session, 'panels', change, signal)
    if (begun.ok) return ok(opened.value)
    await client.remove(session)
    return begun
  }

  async remove(
    caller: Caller,
    panel: string,
    session: SessionId,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const found = await this.member(caller, panel, session, signal)
    if (!found.ok) return found
    return this.#agent.as(caller).remove(session, signal)
  }

  /** One question to one member; the same key again is the same question. */
  async ask(
    caller: Caller,
    session: SessionId,
    { text, key }: Question,
    signal: AbortSignal,
  ): Promise<Result<TurnResult, Failure>> {
    const permit = await this.#limiter?.message(caller)
    if (permit?.ok === false) return permit
    try {
      return await this.#agent.as(caller).ask({ session, text, key }, signal)
    } finally {
      permit?.value.release()
    }
  }
}
