import {
  err,
  failure,
  isId,
  ok,
  sessionId,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
  type SessionRow,
} from '@amodal/sdk'
import { consult } from './consultation.ts'
import { shownMember } from './member.ts'
import type { Panels } from './panels.ts'
import type { MemberAnswer, NewMember, PanelQuestion, PanelService } from './tokens.ts'

/** Panels on behalf of a caller: for routes, tools and other plugins. */
export class PanelAccess implements PanelService {
  readonly #panels: Panels

  constructor(panels: Panels) {
    this.#panels = panels
  }

  async members(
    caller: Caller,
    panel: string,
    signal: AbortSignal,
  ): Promise<Result<readonly JsonObject[], Failure>> {
    const rows = await this.#panels.members(caller, panel, signal)
    return rows.ok ? ok(rows.value.map(shownMember)) : rows
  }

  async add(
    caller: Caller,
    panel: string,
    { title, state = {}, key }: NewMember,
    signal: AbortSignal,
  ): Promise<Result<JsonObject, Failure>> {
    const added = await this.#panels.add(
      caller,
      panel,
      { title: title || panel, state, key },
      signal,
    )
    return added.ok ? ok(shownMember(added.value)) : added
  }

  async ask(
    caller: Caller,
    panel: string,
    { message, key, members: ids, order = 'together', onAnswer }: PanelQuestion,
    signal: AbortSignal,
  ): Promise<Result<readonly MemberAnswer[], Failure>> {
    const template = this.#panels.template(panel)
    if (!template.ok) return template
    const members = await this.chosen(caller, panel, ids, signal)
    if (!members.ok) return members
    const answers = new Map<string, MemberAnswer>()
    const asking = {
      caller,
      members: members.value,
      question: { text: message, key },
      parallel: order === 'in_turn' ? 1 : template.value.parallel,
      signal,
    }
    await consult(this.#panels, asking, (answer) => {
      answers.set(answer.session_id, answer)
      onAnswer?.(answer)
    })
    return ok(members.value.flatMap(({ session }) => answers.get(session) ?? []))
  }

  /** The members that a question goes to. */
  async chosen(
    caller: Caller,
    panel: string,
    ids: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<Result<readonly SessionRow[], Failure>> {
    const all = await this.#panels.members(caller, panel, signal)
    return all.ok ? named(all.value, ids) : all
  }

  /** A malformed id is answered like one that is not there. */
  async remove(
    caller: Caller,
    panel: string,
    member: string,
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    return isId(member)
      ? this.#panels.remove(caller, panel, sessionId(member), signal)
      : err(failure('SESSION_NOT_FOUND', 'no id'))
  }
}

/** Those that were named, in the order in which they were made. */
function named(
  members: readonly SessionRow[],
  ids: readonly string[] | undefined,
): Result<readonly SessionRow[], Failure> {
  if (!ids) return ok(members)
  const known = new Set<string>(members.map(({ session }) => session))
  const unknown = ids.find((id) => !known.has(id))
  return unknown === undefined
    ? ok(members.filter(({ session }) => ids.includes(session)))
    : err(failure('SESSION_NOT_FOUND', 'members: one of these is no member of the panel'))
}
